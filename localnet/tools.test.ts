import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })

const module = `0x${'00'.repeat(32)}`
const nobody = 'http://localhost:1'

test.each([
  ['localnet/sign-in.ts', ['--bogus'], "Unknown option '--bogus'"],
  ['localnet/sign-in.ts', ['--hub', 'nonsense'], '--hub must be an http or https URL'],
  ['localnet/demo.ts', ['--bogus'], "Unknown option '--bogus'"],
  ['localnet/demo.ts', ['--own', '--hub', nobody], 'Give --own or --hub, not both.'],
  ['localnet/demo.ts', ['--hub', 'nonsense'], '--hub must be an http or https URL'],
  ['localnet/operator.ts', ['project', 'delist'], '"project delist" needs <project_id>.'],
  ['examples/project/submit.ts', ['examples/project/manifest.json'], 'Name a manifest and the address'],
  ['examples/project/submit.ts', ['README.md', module], 'README.md is no manifest'],
  [
    'examples/project/submit.ts',
    ['package.json', module],
    'package.json is no manifest: it has no consensus',
  ],
])('%s %j: wrong usage is told, with exit code 2', (script, args, message) => {
  const { status, stderr } = run(script, ...args)
  expect(stderr).toContain(message)
  expect(status).toBe(2)
})

test.each([
  ['localnet/sign-in.ts', []],
  ['localnet/operator.ts', ['relayer']],
  ['examples/project/submit.ts', ['examples/project/manifest.json', module]],
])('%s: a hub that does not answer is told, with exit code 1', (script, args) => {
  const { status, stderr } = run(script, ...args, '--hub', nobody)
  expect(stderr).toContain(`Error: No hub answers on ${nobody}`)
  expect(status).toBe(1)
})
