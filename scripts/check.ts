/** Format, lint, order of imports, prose and types: everything that can be said of the code without running it. */
import { spawnSync } from 'node:child_process'

const steps: [name: string, command: string, ...args: string[]][] = [
  ['format, lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['order of imports', 'node', 'scripts/imports/check.ts'],
  ['plain English', 'node', 'scripts/prose/check.ts'],
  ['types of the hub', 'tsc', '-p', 'tsconfig.json'],
  ['types of the hub with its tests', 'tsc', '-p', 'tsconfig.test.json'],
  [
    'types of the console',
    'node',
    'console/node_modules/svelte-check/bin/svelte-check',
    '--workspace',
    'console',
    '--tsconfig',
    '../tsconfig.console.json',
    '--fail-on-warnings',
    '--output',
    'human',
  ],
  ['types of protocol, node-cli and scripts', 'tsc', '-p', 'tsconfig.node.json'],
]

for (const [name, command, ...args] of steps) {
  console.error(`check: ${name}`)
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (error) console.error(error.message)
  if (status !== 0) process.exit(status ?? 1)
}
