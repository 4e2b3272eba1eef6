import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CommandError } from '../command/errors.ts'

/** Runs the built tool, and gives back what it prints. */
export type Nodectl = (...args: string[]) => Promise<string>

const run = promisify(execFile)

/** @throws {@link CommandError} with what the tool says against it. */
export const runNodectl: Nodectl = async (...args) => {
  try {
    return (await run(process.execPath, ['node-cli/dist/nodectl.mjs', ...args])).stdout
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new CommandError(`nodectl ${args.join(' ')} failed: ${stderr || message}`)
  }
}
