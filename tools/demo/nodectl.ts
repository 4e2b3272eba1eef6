import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CommandError } from '../../scripts/command/errors.ts'

/** Runs the built tool, and gives back what it prints. */
export type Nodectl = (...args: string[]) => Promise<string>

const run = promisify(execFile)

/** @throws {@link CommandError} with what the tool says against it. */
export const runNodectl: Nodectl = async (...args) => {
  try {
    return (await run(process.execPath, ['node-cli/dist/nodectl.mjs', ...args])).stdout
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    // Before the reason stands what it was doing.
    const [reason] = /^Error: .*$/ms.exec(stderr) ?? []
    throw new CommandError(`nodectl ${args[0]} failed. ${(reason ?? (stderr || message)).trim()}`)
  }
}
