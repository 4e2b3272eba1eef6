import { spawn } from 'node:child_process'

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
