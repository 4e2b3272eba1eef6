import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { privateKeys } from '../localnet/accounts.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from '../localnet/temporary-network.ts'
import { unwrap } from '../sdk/answers.ts'
import { readNetwork } from '../sdk/network.ts'
import { signIn } from '../sdk/sign-in.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { filledAscHome, temporaryFolder } from '../testing/node/nodectl.ts'
import { listProcessesWith } from '../testing/npm-start.ts'
import { runTool } from '../testing/run-tool.ts'
import type { Stage } from './demo/stage.ts'
import { joinValidators } from './demo/validators.ts'

// Whole networks begin and end here, each in the time the machine has for it.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const NODE_ASC_HOME = filledAscHome()

describe.skipIf(!hasAnvil)('npm run demo', () => {
  let network: TemporaryNetwork
  beforeAll(async () => {
    network = await startTemporaryNetwork(temporaryFolder())
  })
  afterAll(() => network?.stop())

  const readValidators = async () =>
    (await unwrap((await readNetwork(network.url)).client.GET('/v1/validators'))).validators

  test('goes all the way, from a wallet to earnings, a slash and a withdrawn stake', async () => {
    const TMPDIR = temporaryFolder()
    const args = ['--hub', network.url, '--pass-time']
    const { code, stdout, stderr } = await runTool('tools/demo.ts', args, { NODE_ASC_HOME, TMPDIR })
    expect(stderr).toBe('')
    const steps = [
      'listing_status pending_review',
      'listing_status listed',
      'HUB were put into the vault',
      'status active',
      '4 attestations; 3 are a quorum',
      '3 equal votes for',
      'status settled',
      'status released',
      'status completed',
      '100 % of the collateral: 200 HUB',
      'status executed',
      'taken 200000000000000000000, recovery top_up',
      'jailed: 0 HUB',
      'active again with 100 HUB',
      '3 equal votes for',
      'status unbonding',
      'status withdrawable',
      'status closed, collateral 0',
      'Done.',
    ]
    let place = 0
    for (const step of steps) {
      const found = stdout.indexOf(step, place)
      expect(found, `"${step}" after ${place} characters`).not.toBe(-1)
      place = found + step.length
    }
    expect(code).toBe(0)
    expect(readdirSync(TMPDIR)).toEqual([])
    // The next demo goes on with them.
    expect(await readValidators()).toHaveLength(4)
  })

  test('leaves validators alone that are not of a demo, and adds none to them', async () => {
    const known = await readValidators()
    const quiet = await readNetwork(network.url)
    // Whose keys of a demo are others.
    const another = await signIn(quiet, privateKeys.developer)
    const stage: Stage = {
      network: quiet,
      quiet,
      scratch: '',
      passTime: null,
      nodectl: async () => '',
      onStop: () => {},
    }
    expect(await joinValidators(stage, another)).toBe(null)
    expect([known.length, await readValidators()]).toEqual([4, known])
  })
})

describe.skipIf(!hasAnvil)('Ctrl-C ends the demo, and leaves no process and no temporary file', () => {
  test.each([
    ['while its network starts', 'Starting a network'],
    ['while it compiles', 'Compile the example modules'],
  ])('%s', async (_, said) => {
    const TMPDIR = temporaryFolder()
    const env = { ...process.env, NODE_ASC_HOME, TMPDIR }
    const child = spawn(process.execPath, ['tools/demo.ts', '--own'], { env })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (text) => (output.stdout += text))
    child.stderr.on('data', (text) => (output.stderr += text))
    const closed = once(child, 'close')
    await expect.poll(() => output.stdout, { interval: 20, timeout: 280_000 }).toContain(said)
    child.kill('SIGINT')
    expect(await closed).toEqual([130, null])
    expect(output.stderr).toBe('… Stopping\n')
    expect(readdirSync(TMPDIR)).toEqual([])
    // The bundler ends by itself once its input does.
    const left = listProcessesWith(`TMPDIR=${TMPDIR}`)
    expect(left.filter(({ program }) => program !== 'esbuild')).toEqual([])
  })
})
