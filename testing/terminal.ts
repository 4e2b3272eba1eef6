import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs commands as typed into one terminal of a checkout. Its programs end together. */
export function openTerminal(commands: string, env: NodeJS.ProcessEnv) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: new URL('..', import.meta.url),
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { all: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said.all += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    said,
    ended,
    close: async (): Promise<void> => {
      process.kill(-child.pid!, 'SIGTERM')
      await ended
    },
  }
}

/** The status that a node on a port of this machine shows its operator; null if it does not answer. */
// biome-ignore lint/suspicious/noExplicitAny: Tests look into answers of every shape.
export const statusAt = (port: number): Promise<any> =>
  fetch(`http://127.0.0.1:${port}/status`).then(
    (answer) => answer.json(),
    () => null,
  )
