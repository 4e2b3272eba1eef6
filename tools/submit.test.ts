import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { privateKeys } from '../localnet/accounts.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from '../localnet/temporary-network.ts'
import { hasAnvil } from '../localnet/testing/anvil.ts'
import { runTool } from '../localnet/testing/run-tool.ts'
import { echoArtifact } from '../protocol/hbc/testing/artifacts.ts'
import { unwrap } from './client/answers.ts'
import { readNetwork } from './client/network.ts'
import { signIn } from './client/sign-in.ts'

describe.skipIf(!hasAnvil)('npm run submit', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'submit-'))
  const file = path.join(folder, 'manifest.json')
  const { bytes, manifestAddress } = echoArtifact('submitted')
  const manifest = JSON.parse(readFileSync('examples/project/manifest.json', 'utf8'))
  manifest.consensus.work.functions = ['echo']
  let network: TemporaryNetwork
  beforeAll(async () => {
    network = await startTemporaryNetwork(folder)
    const { client } = await signIn(await readNetwork(network.url), privateKeys.developer)
    await unwrap(client.POST('/v1/modules', { body: { hbc_b64: Buffer.from(bytes).toString('base64') } }))
  })
  afterAll(async () => {
    await network?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const submit = (change: object = {}) => {
    writeFileSync(file, JSON.stringify({ ...manifest, ...change }))
    // By the other name of this machine, which wallets sign in to as well, and as a browser shows it.
    const HUB_URL = `${network.url.replace('localhost', '127.0.0.1')}/`
    return runTool('tools/submit.ts', [file, manifestAddress, '--as', 'treasury'], { HUB_URL })
  }

  test('brings a project from its manifest to the review of an operator, once', async () => {
    const { code, stdout, stderr } = await submit()
    expect([code, stderr]).toEqual([0, ''])
    const projectId = stdout.trim().split('\n').at(-1)
    const operator = await signIn(await readNetwork(network.url), privateKeys.operator)
    expect(await unwrap(operator.client.GET('/admin/v1/review-queue'))).toMatchObject({
      items: [{ project_id: projectId, listing_status: 'pending_review' }],
    })
    expect(await submit()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('/v1/developers/projects answered 409 already_exists: You have'),
    })
  })

  test.each([
    [{ slug: 'Greet Two' }, 'slug: '],
    [{ surplus: 1 }, 'surplus: '],
  ])('tells what is wrong with a manifest: %j', async (change, problem) => {
    expect(await submit(change)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`the manifest has problems\n  ${problem}`),
    })
  })
})
