import { expect, test } from 'vitest'
import { loadedTools, runTool } from '../testing/run-tool.ts'

const module = `0x${'00'.repeat(32)}`
const nobody = 'http://localhost:1'
const runLoaded = loadedTools()

test.each([
  ['tools/sign-in.ts', ['--bogus'], "Unknown option '--bogus'"],
  ['tools/sign-in.ts', ['--hub', 'nonsense'], '--hub must be an http or https URL'],
  ['tools/demo.ts', ['--bogus'], "Unknown option '--bogus'"],
  ['tools/operator.ts', ['project', 'delist'], '"project delist" needs <project_id>.'],
  ['tools/submit.ts', ['examples/project/manifest.json'], 'Name a manifest and its worker'],
  [
    'tools/submit.ts',
    ['m.json', module, '--fund', '1', '--rpc', 'chain'],
    '--rpc must be an http or https URL',
  ],
  ['tools/fund.ts', ['greetings'], 'Name a project and an amount.'],
  ['tools/fund.ts', ['--terms'], 'Name a project and an amount.'],
  ['tools/fund.ts', ['A B', '1'], 'PROJECT must be the id or the slug of a project'],
  ['tools/fund.ts', ['greetings', '1.5'], 'AMOUNT must be a number of base units'],
  ['tools/fund.ts', ['greetings', '1', '--rpc', 'chain'], '--rpc must be an http or https URL'],
  ['tools/subscribe.ts', [], 'Name one device.'],
  ['tools/subscribe.ts', ['hub-0', '--project', 'A B'], '--project must be the id or the slug'],
  ['tools/subscribe.ts', ['hub-0', '--collateral', '1.5'], '--collateral must be a number of base units'],
  ['tools/subscribe.ts', ['hub-0', '--collateral', '0 HUB'], '--collateral must be more than 0.'],
  ['tools/faucet.ts', ['more'], 'Usage: npm run -s faucet'],
  ['tools/task.ts', [], 'Name one function of the project.'],
  ['tools/task.ts', ['echo', 'twice'], 'Name one function of the project.'],
  ['tools/task.ts', ['echo', '--wait', 'long'], '--wait must be a whole number from 0 to 3600, not "long".'],
  ['tools/task.ts', ['echo', '--input', '1', '--input-file', '-'], 'Give --input or --input-file, not both.'],
  ['tools/pass-time.ts', [], 'Say how much time is to pass.'],
  ['tools/pass-time.ts', ['2h', '3h'], 'Say how much time is to pass.'],
  ['tools/pass-time.ts', ['soon'], 'A time must be such as 90s, 15m, 2h or 3d'],
  ['tools/pass-time.ts', ['-3h'], 'The time of a network only moves forward'],
  ['tools/pass-time.ts', ['2h', '--rpc', 'chain'], '--rpc must be an http or https URL'],
  ['tools/submit.ts', ['README.md', module], 'README.md is not a manifest'],
  ['tools/submit.ts', ['package.json', module], 'package.json is not a manifest: it has no consensus'],
])('%s %j: wrong usage is reported, with exit code 2', async (script, args, message) => {
  // The demo ends its process itself.
  const run = script === 'tools/demo.ts' ? runTool : runLoaded
  const { code, stderr } = await run(script, args)
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})

test.each([
  ['tools/sign-in.ts', []],
  ['tools/operator.ts', ['relayer']],
  ['tools/submit.ts', ['examples/project/manifest.json', module]],
  ['tools/fund.ts', ['greetings', '1']],
  ['tools/subscribe.ts', ['hub-0']],
  ['tools/pass-time.ts', ['2h']],
  ['tools/task.ts', ['echo']],
  ['tools/faucet.ts', []],
])('%s: a hub that does not answer is reported, with exit code 1', async (script, args) => {
  // As a browser shows it, with a slash at the end.
  const { code, stderr } = await runTool(script, args, { HUB_URL: `${nobody}/` })
  expect(stderr).toContain(`Error: No hub answers on ${nobody}`)
  expect(code).toBe(1)
})
