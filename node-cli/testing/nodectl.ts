import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { buildInto } from './build.ts'
import { fillAscHome } from './package-calls.ts'

const folders: string[] = []

/** A folder that goes away with the test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'nodectl-'))
  folders.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Where this test file has its build; test files run side by side. */
export const dist = path.join(temporaryFolder(), 'dist')

/** Builds the tool as it is published. */
export const buildNodectl = (): void => buildInto(dist)

/** A compiler folder that is filled already, from the project's own copy. */
export const filledAscHome = (): string => fillAscHome(path.join(temporaryFolder(), 'asc'))

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

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
