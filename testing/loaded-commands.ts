import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { CommandAnswer, CommandCall } from './command-host.ts'

const host = path.join(import.meta.dirname, 'command-host.ts')
const root = path.resolve(import.meta.dirname, '..')

export interface Surroundings {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Options of Node. */
  readonly nodeArgs: readonly string[]
}

/** Commands of the repository in one process that loads them once, see `command-host.ts`. @param surroundings - Asked for before the first. */
export function loadedCommands(surroundings: () => Promise<Surroundings>) {
  let loaded: ChildProcess | undefined
  const load = async () => {
    const { cwd, env, nodeArgs } = await surroundings()
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
    const child = spawn(process.execPath, [...nodeArgs, host], { cwd, env, stdio: [...stdio] })
    return child.once('exit', () => {
      loaded = undefined
    })
  }
  return {
    /**
     * Runs one, with nothing of those before it, and says what its process would. One at a time.
     * @param until - The end of the output at which it is ended; left out, it ends by itself.
     */
    async run(
      script: string,
      args: readonly string[],
      env: Readonly<Record<string, string>> = {},
      until?: string,
    ): Promise<CommandAnswer> {
      loaded ??= await load()
      const call: CommandCall = { program: path.join(root, script), args, env, until }
      const child = loaded
      return new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`${script} ended the process that it was loaded in.`))
        child.once('exit', fail).once('message', (answer: CommandAnswer) => {
          child.off('exit', fail)
          resolve(answer)
        })
        child.send(call)
      })
    },
    async close(): Promise<void> {
      if (!loaded?.connected) return
      loaded.disconnect()
      await once(loaded, 'exit')
    },
  }
}
