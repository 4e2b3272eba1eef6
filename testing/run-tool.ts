import { spawn } from 'node:child_process'
import { afterAll } from 'vitest'
import { loadedCommands } from './loaded-commands.ts'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a tool to its end, as a shell does. */
export function runTool(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env } })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (text) => {
      output.stdout += text
    })
    child.stderr.on('data', (text) => {
      output.stderr += text
    })
    child.on('close', (code) => resolve({ code, ...output }))
  })
}

/** Tools in one process that loads them once, for tests that are not about their processes; they end with the tests of the file. */
export function loadedTools(): typeof runTool {
  const commands = loadedCommands(async () => ({ cwd: process.cwd(), env: { ...process.env }, nodeArgs: [] }))
  afterAll(commands.close)
  return async (script, args, env) => {
    const { code, stdout, stderr } = await commands.run(script, args, env)
    return { code, stdout, stderr }
  }
}
