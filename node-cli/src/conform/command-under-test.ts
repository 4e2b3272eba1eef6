import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Finding } from '../../../conformance/findings.ts'
import type { Restarts } from '../../../conformance/node/script.ts'
import { tell } from '../cli/output.ts'

export interface CommandUnderTest {
  /** The seed of its key, which is in its data directory. */
  readonly seed: string
  /** Told where the hub is. */
  readonly launch: (origin: string) => Restarts
}

/**
 * Tests a command with a key of its own. Its output goes to standard error.
 *
 * @param variables - Of its environment, beside those of every node.
 */
export async function withCommand(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
  test: (under: CommandUnderTest) => Promise<Finding[]>,
): Promise<Finding[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'conform-node-'))
  const seed = randomBytes(32).toString('hex')
  writeFileSync(path.join(dataDir, 'node.key'), `${seed}\n`, { mode: 0o600 })
  let child: ChildProcess | null = null
  const kill = async (): Promise<void> => {
    if (child?.pid === undefined) return
    const { pid } = child
    // A shell or a runner of scripts has the node as its child, and may end before it.
    while (signalGroup(pid, 'SIGKILL')) await setTimeout(groupPollMs)
  }
  const killAtExit = (): void => void (child?.pid !== undefined && signalGroup(child.pid, 'SIGKILL'))
  process.once('exit', killAtExit)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  try {
    return await test({
      seed: `0x${seed}`,
      launch: (origin) => ({
        kill,
        start: async () => {
          const [program = '', ...args] = command
          const started = spawn(program, args, {
            env: { ...process.env, ...variables, NODE_HUB_URL: origin, NODE_DATA_DIR: dataDir },
            stdio: ['ignore', process.stderr.fd, process.stderr.fd],
            detached: true,
          })
          started.on('error', ({ message }) => tell(`the node cannot be started: ${message}`))
          started.on('exit', (code) => {
            if (code !== null) tell(`the node ended with the exit code ${code}`)
          })
          child = started
        },
      }),
    })
  } finally {
    await kill()
    process.off('exit', killAtExit)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const groupPollMs = 20

/** @returns Whether the group still has a process. */
function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
