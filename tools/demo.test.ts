import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { hasAnvil } from '../testing/anvil.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { listProcessesWith } from '../testing/npm-start.ts'
import { runTool } from '../testing/run-tool.ts'
import type { DemoResult } from './demo/walk.ts'

// The hours of the demo pass in minutes, on any machine.
vi.setConfig({ testTimeout: 600_000 })

/** No name of the network is the default one: a part that assumes one breaks the loop. */
const names = {
  service: 'Acme',
  prefix: 'acme',
  node_id_prefix: 'worker-',
  network: 'acme-lab',
  token_symbol: 'COIN',
  token_name: 'Coin of Acme',
  permit_name: 'Acme Permit',
  header_prefix: 'X-Grid-',
  session_token_prefix: 'as_',
  api_key_prefix: 'ak_',
}

describe.skipIf(!hasAnvil)('npm run demo', () => {
  test('goes from a wallet to a claimed reward; the device that lies and the one that votes twice are slashed', async () => {
    const TMPDIR = temporaryFolder()
    const profile = path.join(temporaryFolder(), 'profile.json')
    writeFileSync(profile, JSON.stringify(names))
    const args = ['--json', '--profile', profile]
    const { code, stdout, stderr } = await runTool('tools/demo.ts', args, { TMPDIR })
    expect(code, stderr).toBe(0)
    const steps = [
      /· validator-4 /,
      /│ localhost:\d+ wants you to sign in with your Ethereum account/,
      /│ Sign in to Acme testnet\./,
      /listing_status pending_review/,
      /listing_status listed/,
      /100 COIN were put into the vault/,
      /✎ Bond /,
      /5 devices have 100 COIN each in the project/,
      /· fallback .* no committee .* "the first task"/,
      /[34] validators attested 0x/,
      /[0-9]+ tasks final; median/,
      / invalid_result /,
      /← status settled/,
      /← status released/,
      /500 COIN \+ [0-9.]+ COIN = 50\d[0-9.]* COIN/,
      / COIN taken/,
      /Done\. .* Next steps:/,
    ]
    expect(stderr).not.toMatch(/hub_|HUB\b|X-Hub|hub-testnet|node-[0-9a-f]{16}/)
    let rest = stderr
    for (const step of steps) {
      const found = step.exec(rest)
      expect(found, `${step} in ${rest}`).not.toBe(null)
      rest = rest.slice(found!.index)
    }
    const { devices, tasks, slashes, claimed } = JSON.parse(stdout) as DemoResult
    expect(new Set(tasks.map(({ kind }) => kind))).toEqual(
      new Set(['fallback', 'clean', 'audited', 'contested']),
    )
    expect(BigInt(claimed)).toBeGreaterThan(0n)
    const tokens = (amount: number) => `${amount}${'0'.repeat(18)}`
    expect(slashes).toContainEqual(
      expect.objectContaining({ kind: 'invalid_result', node_id: devices.liar, taken: tokens(25) }),
    )
    expect(slashes).toContainEqual(
      expect.objectContaining({
        kind: 'equivocation',
        node_id: devices.double_voter,
        taken: expect.stringMatching(/^[1-9]/),
      }),
    )
    await expectNothingLeft(TMPDIR)
  })

  test.each([
    ['while its network starts', '1. Start a chain'],
    ['while its nodes run', 'Let the hub check the manifest'],
  ])('Ctrl-C ends it, and leaves no process and no temporary file: %s', async (_, said) => {
    const TMPDIR = temporaryFolder()
    const child = spawn(process.execPath, ['tools/demo.ts'], { env: { ...process.env, TMPDIR } })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (text) => (output.stdout += text))
    child.stderr.on('data', (text) => (output.stderr += text))
    const closed = once(child, 'close')
    await expect.poll(() => output.stdout, { interval: 20, timeout: 280_000 }).toContain(said)
    child.kill('SIGINT')
    expect(await closed).toEqual([130, null])
    expect(output.stderr).toBe('… Stopping\n')
    await expectNothingLeft(TMPDIR)
  })
})

async function expectNothingLeft(folder: string): Promise<void> {
  // The bundler ends by itself once its input does. Until it runs, its process has the name of the one that started it.
  const left = () => listProcessesWith(`TMPDIR=${folder}`).filter(({ program }) => program !== 'esbuild')
  await expect.poll(left).toEqual([])
  expect(readdirSync(folder)).toEqual([])
}
