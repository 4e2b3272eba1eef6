import { spawnSync } from 'node:child_process'

/** Runs the built tool, and gives back what it prints. */
export function nodectl(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('node', ['node-cli/dist/nodectl.mjs', ...args], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`nodectl ${args.join(' ')} failed:\n${stderr}`)
  return stdout
}
