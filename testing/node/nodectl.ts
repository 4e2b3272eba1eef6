import { spawn } from 'node:child_process'
import path from 'node:path'
import { keptNodectl } from '../../node-cli/kept-build.ts'

/** The folder of the tool as it is published; it is built if it is missing. All test files share the build. */
export const dist = await keptNodectl()

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** The outcome of a command that fails. */
export const failedWith = (stderr: unknown) => ({ code: 1, stdout: '', stderr })

/** Runs the built tool as its user does, in a process of its own. */
export function nodectl(
  args: string[],
  options: {
    env?: NodeJS.ProcessEnv
    input?: Uint8Array
    cwd?: string
    /** Flags of Node itself. */
    nodeFlags?: string[]
    /** A file descriptor in the place of the pipe that is read. */
    stdout?: number
  } = {},
) {
  return new Promise<Outcome>((resolve, reject) => {
    const child = spawn('node', [...(options.nodeFlags ?? []), path.join(dist, 'nodectl.mjs'), ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
    })
    const outcome = { stdout: '', stderr: '' }
    child.stdout?.on('data', (text) => {
      outcome.stdout += text
    })
    child.stderr?.on('data', (text) => {
      outcome.stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...outcome }))
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input)
  })
}
