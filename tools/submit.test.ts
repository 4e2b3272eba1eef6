import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { formatEther } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '../localnet/accounts.ts'
import { privateKeys } from '../localnet/private-keys.ts'
import { makeDevice } from '../localnet/sample/devices.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from '../localnet/temporary-network.ts'
import { readVault } from '../localnet/vault-terms.ts'
import { epochCap } from '../protocol/earnings/index.ts'
import { echoArtifact } from '../protocol/hbc/testing/artifacts.ts'
import { deriveProjectId, resolveProfile } from '../protocol/identity/index.ts'
import type { ProjectManifest } from '../protocol/manifest/index.ts'
import { completeManifest, signedManifest } from '../scripts/hub/manifest.ts'
import { readEconomics, readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { hasAnvil, startAnvil } from '../testing/anvil.ts'
import { deployOtherToken } from '../testing/other-token.ts'
import { loadedTools, runTool } from '../testing/run-tool.ts'
import { registerProject } from './project.ts'

describe.skipIf(!hasAnvil)('npm run submit', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'submit-'))
  const file = path.join(folder, 'manifest.json')
  const { bytes, manifestAddress } = echoArtifact('submitted')
  const manifest = JSON.parse(readFileSync('examples/project/manifest.json', 'utf8'))
  manifest.consensus.work.functions = ['echo']
  const artifact = path.join(folder, 'worker.hbc')
  let network: TemporaryNetwork
  beforeAll(async () => {
    network = await startTemporaryNetwork(folder, { hub: { files: false } })
    writeFileSync(artifact, bytes)
  })
  afterAll(async () => {
    await network?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const runLoaded = loadedTools()
  const submitBy =
    (run: typeof runTool) =>
    (change: object = {}, worker: string = manifestAddress, ...options: string[]) => {
      writeFileSync(file, JSON.stringify({ ...manifest, ...change }))
      // By the other name of this machine, which wallets sign in to as well, and as a browser shows it.
      const HUB_URL = `${network.url.replace('localhost', '127.0.0.1')}/`
      return run('tools/submit.ts', [file, worker, '--as', 'treasury', ...options], { HUB_URL })
    }
  const submit = submitBy(runLoaded)
  const submitAlone = submitBy(runTool)
  const lastLine = (text: string) => text.trim().split('\n').at(-1)
  const params = () => ({
    path: {
      project_id: deriveProjectId(resolveProfile(), accounts.treasury.address.toLowerCase(), manifest.slug),
    },
  })
  const versions = async () => {
    const { client } = await readNetwork(network.url)
    return (await client.call('GET /v1/projects/{project_id}/versions', params())).items
  }

  test('--fund with more than the balance fails before any submission, and names the faucet', async () => {
    const { code, stdout, stderr } = await submitAlone({ slug: 'too-dear' }, artifact, '--fund', '100001 HUB')
    expect(code).toBe(1)
    expect(stderr).toContain('has 100000 HUB and must put into the vault 100001 HUB')
    expect(stderr).toContain('npm run -s faucet')
    expect(stdout).not.toMatch(/POST \/v1\/(developers|modules)/)
  })

  test('faucet gives tokens once, and then says when to ask again', async () => {
    const HUB_URL = network.url
    const faucet = (run: typeof runTool) => run('tools/faucet.ts', ['--as', 'admin'], { HUB_URL })
    const given = await faucet(runTool)
    expect([given.code, given.stderr]).toEqual([0, ''])
    expect(given.stdout).toMatch(
      /^1000 HUB and 0\.01 ETH for 0x[0-9a-f]{40}, with the transaction 0x[0-9a-f]{64}\.\n/,
    )
    expect(await faucet(runLoaded)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has had its tokens, and may ask again at 20\d\d-/),
    })
  })

  test('submits a project with its manifest and artifact for review by an operator', async () => {
    const { code, stdout, stderr } = await submitAlone({}, artifact)
    expect([code, stderr]).toEqual([0, ''])
    expect(lastLine(stdout)).toBe(params().path.project_id)
    const operator = await signIn(await readNetwork(network.url), privateKeys.operator)
    expect(await operator.client.call('GET /admin/v1/review-queue')).toMatchObject({
      items: [{ project_id: lastLine(stdout), listing_status: 'pending_review' }],
    })
    const early = ['echo', '--project', params().path.project_id]
    expect(await runLoaded('tools/task.ts', early, { HUB_URL: network.url })).toMatchObject({
      code: 1,
      stderr: `Error: ${network.url} has no project ${params().path.project_id}, or it is not public: a new project waits until an operator approves it.\n`,
    })
    await operator.client.call('POST /admin/v1/projects/{project_id}/review', {
      ...params(),
      body: { action: 'approve' },
    })
  })

  test('refuses a manifest that changes nothing', async () => {
    expect(await submit()).toMatchObject({
      code: 1,
      stderr: 'Error: the manifest equals the latest version: nothing to submit\n',
    })
  })

  test('a new version is active at once, or is published if it changes the consensus', async () => {
    const listing = { ...manifest.listing, tagline: 'Greets better' }
    const second = await submit({ listing })
    expect([second.code, second.stderr]).toEqual([0, ''])
    expect(second.stdout).toContain('Version 2 is active')
    expect(lastLine(second.stdout)).toBe(params().path.project_id)

    const work = { ...manifest.consensus.work, round_secs: 120 }
    const third = await submit({ listing, consensus: { ...manifest.consensus, work } })
    expect([third.code, third.stderr]).toEqual([0, ''])
    expect(third.stdout).toMatch(
      /^Version 3 is published, and active from epoch \d+ on, which starts at 20\d\d-\S+:00Z\. In a checkout, "npm run -s pass-time -- \d+m" moves/m,
    )
    expect(await versions()).toMatchObject([
      { version: 3, tiers_changed: ['consensus'], publish_tx: expect.any(String) },
      { version: 2, tiers_changed: ['listing'], status: 'active' },
      { version: 1, status: 'superseded' },
    ])
  })

  test('publishes a stored but unpublished version, without storing it again', async () => {
    const { client, key } = await signIn(await readNetwork(network.url), privateKeys.treasury)
    const third = await client.call('GET /v1/projects/{project_id}/versions/{version}', {
      path: { ...params().path, version: 3 },
    })
    const { manifest: before, manifest_hash } = third.signed_manifest
    const work = { ...before.consensus.work, round_secs: 180 }
    const fourth = {
      ...before,
      version: 4,
      previous: manifest_hash,
      consensus: { ...before.consensus, work },
    }
    await client.call('POST /v1/developers/projects/{project_id}/versions', {
      ...params(),
      body: signedManifest(key, fourth as unknown as ProjectManifest),
    })
    const { code, stdout, stderr } = await submit({
      listing: before.listing,
      consensus: { ...manifest.consensus, work },
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/Version 4 is published/)
    expect(await versions()).toHaveLength(4)
  })

  test('opens the vault, and adds the missing amount', async () => {
    const read = async () => {
      const { client } = await readNetwork(network.url)
      return (await client.call('GET /v1/projects/{project_id}/economics', params())).vault
    }
    const fund = (amount: string, ...options: string[]) =>
      submit(
        { listing: { ...manifest.listing, tagline: `Greets for ${amount}` } },
        manifestAddress,
        '--fund',
        amount,
        ...options,
      )
    expect(await fund('500')).toMatchObject({ code: 0, stderr: '' })
    await expect.poll(read).toMatchObject({ deployed: true, balance: '500' })
    for (const amount of ['500', '7']) {
      const { code, stdout } = await fund(amount)
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`holds ${formatEther(BigInt(amount))} HUB or more: nothing to add`),
      ])
    }
    const topUp = await fund('0.000000000000000507 HUB', '--rpc', network.rpcUrl)
    expect([topUp.code, topUp.stdout]).toEqual([
      0,
      expect.stringContaining('0.000000000000000007 HUB were put into'),
    ])
    await expect.poll(read).toMatchObject({ balance: '507' })
    expect(await fund(String(10n ** 30n))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Error: .* has [\d.]+ HUB and must put into the vault 9{12}\.9{15}493 HUB\. npm run -s faucet /,
      ),
    })
    const other = await startAnvil(['--chain-id', '1337'])
    expect(await fund('1', '--rpc', other.url)).toMatchObject({
      code: 1,
      stderr: `Error: ${other.url} is chain 1337; the vault is on chain 31337.\n`,
    })
    await other.stop()
    expect(await fund('1', '--rpc', other.url)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: The vault 0x\S+ cannot be funded: fetch failed: .*ECONNREFUSED/),
    })
    expect(await fund('1.5')).toMatchObject({
      code: 2,
      stderr:
        'Error: --fund must be a number of base units, or an amount with the symbol of the token, not "1.5".\n',
    })
  })

  test('npm run fund adds the missing amount by slug or id, without a manifest', async () => {
    const { client } = await readNetwork(network.url)
    const read = async () =>
      (await client.call('GET /v1/projects/{project_id}/economics', params())).vault.balance
    const fund = (project: string, amount: string, run = runLoaded) =>
      run('tools/fund.ts', [project, amount, '--as', 'treasury'], { HUB_URL: network.url })
    expect(await fund(manifest.slug, '600', runTool)).toMatchObject({ code: 0, stderr: '' })
    await expect.poll(read).toBe('600')
    const again = await fund(params().path.project_id, '0.0000000000000006 HUB')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('nothing to add')])
    expect(await fund('of-nobody', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: .*not_found/),
    })
  })

  test('npm run fund --terms announces the terms of the newest published version, once', async () => {
    const announce = (...args: string[]) =>
      runLoaded('tools/fund.ts', [manifest.slug, ...args, '--terms', '--as', 'treasury'], {
        HUB_URL: network.url,
      })
    const same = await announce()
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('nothing to announce')])
    const { work, economics } = manifest.consensus
    const consensus = {
      ...manifest.consensus,
      work: { ...work, epoch_secs: 2 * work.epoch_secs },
      economics: { ...economics, daily_emission: String(3n * BigInt(economics.daily_emission)) },
    }
    expect(await submit({ consensus })).toMatchObject({ code: 0, stderr: '' })
    const [published] = await versions()
    const told = await announce('601')
    expect([told.code, told.stderr]).toEqual([0, ''])
    expect(told.stdout).toContain('were put into the vault')
    const { address } = (
      await readNetwork(network.url).then(({ client }) => readEconomics(client, params().path.project_id))
    ).vault
    const { latest: terms } = await readVault(network.rpcUrl, { chainId: 31_337, address })
    const epochSecs = 2 * work.epoch_secs
    expect(terms).toMatchObject({
      epochSecs,
      epochCap: epochCap(consensus.economics.daily_emission, epochSecs),
    })
    // With the version, or at the first common boundary after the notice.
    const { from } = terms
    expect(from % epochSecs).toBe(0)
    expect(from).toBeGreaterThanOrEqual(published!.effective_epoch! * epochSecs)
    expect(from).toBeLessThan(published!.effective_epoch! * epochSecs + 3_600 + 120 + epochSecs)
    expect((await announce()).stdout).toContain('nothing to announce')
    const other = await runLoaded(
      'tools/fund.ts',
      [params().path.project_id, '--terms', '--as', 'developer'],
      { HUB_URL: network.url },
    )
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Error: The vault 0x\S+ takes terms from its developer alone, 0x\S+\.\n$/,
      ),
    })
  })

  test('npm run fund opens and fills a vault in the token that the project pays', async () => {
    const token = await deployOtherToken(network.rpcUrl, accounts.treasury, 'OTH', 1_000n)
    const settings = await readNetwork(network.url)
    const { profile } = settings
    const wallet = await signIn(settings, privateKeys.treasury)
    const parts = { profile, developer: wallet.address, worker: manifestAddress, token, vault: token }
    const draft = completeManifest({ ...manifest, slug: 'pays-another-token' }, parts)
    const id = await registerProject(settings, wallet, { ...draft, version: 1, previous: null })
    const fund = (amount: string) =>
      runLoaded('tools/fund.ts', [id, amount, '--as', 'treasury'], { HUB_URL: network.url })
    expect(await fund('1 HUB')).toMatchObject({ code: 2, stderr: expect.stringContaining('must be in OTH') })
    expect(await fund('700')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0.0000000000000007 OTH were put into the vault'),
    })
    await expect
      .poll(async () => (await readEconomics(wallet.client, id)).vault)
      .toMatchObject({ balance: '700', config_matches_manifest: true })
    expect(await fund('1001')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has 300 base units'),
    })
  })

  test('says why no vault can pay an epoch as large as in the manifest', async () => {
    const { work, economics } = manifest.consensus
    const daily_emission = String((2n ** 128n * 86_400n) / BigInt(work.epoch_secs))
    const large = {
      slug: 'pays-too-much',
      consensus: { ...manifest.consensus, economics: { ...economics, daily_emission } },
    }
    expect(await submit(large, manifestAddress, '--fund', '1')).toMatchObject({
      code: 1,
      stderr: `Error: An epoch of this project may pay ${2n ** 128n} base units, and a vault pays less than 2^128: publish a version with a lower consensus.economics.daily_emission.\n`,
    })
  })

  test.each([
    ['absent.hbc', /^Error: WORKER is neither .* nor a file: absent\.hbc cannot be read: ENOENT/],
    [manifestAddress.slice(0, 60), /^Error: WORKER is neither .*0x and 64 hex digits/],
    [
      'README.md',
      /^Error: README\.md is not an artifact that the hub accepts: .*\. nodectl compile makes one\.$/m,
    ],
  ])('tells what is wrong with the worker %s', async (worker, message) => {
    const { code, stderr } = await submit({}, worker)
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
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

  describe('npm run subscribe', () => {
    const subscribe = (...args: string[]) => runLoaded('tools/subscribe.ts', args, { HUB_URL: network.url })
    let nodeId: string
    beforeAll(async () => {
      const settings = await readNetwork(network.url)
      const miner = await signIn(settings, privateKeys.miner)
      nodeId = (await makeDevice(settings, miner, path.join(folder, 'node'))).nodeId
    })

    test('reports an insufficient balance before it makes anything', async () => {
      const { code, stderr } = await subscribe(nodeId, '--collateral', `9${'0'.repeat(40)}`)
      expect(stderr).toMatch(/has 100000 HUB and bonds 9\d+ HUB\. npm run -s faucet asks the faucet/)
      expect(code).toBe(1)
    })

    test('subscribes a device to the only listed project, with the least collateral', async () => {
      const { code, stdout, stderr } = await runTool('tools/subscribe.ts', [nodeId], { HUB_URL: network.url })
      expect([code, stderr]).toEqual([0, ''])
      const { client } = await readNetwork(network.url)
      const path = { subscription_id: lastLine(stdout)! }
      expect(await client.call('GET /v1/subscriptions/{subscription_id}', { path })).toMatchObject({
        node_id: nodeId,
        project_id: params().path.project_id,
        status: 'active',
        collateral: manifest.consensus.economics.min_collateral,
      })
    })

    test('says that the subscription is active if it is run again', async () => {
      const again = await subscribe(nodeId, '--project', manifest.slug)
      expect([again.code, again.stderr]).toEqual([0, ''])
      expect(again.stdout).toContain('the subscription is active, with 100 HUB')
    })

    test('names the owner of a bound device, the command to bind a device, and an unknown slug', async () => {
      expect((await subscribe(nodeId, '--as', 'developer')).stderr).toContain(
        `${nodeId} is bound to ${accounts.miner.address.toLowerCase()}`,
      )
      expect((await subscribe('hub-0000000000000000')).stderr).toContain('nodectl bind --hub-url')
      expect((await subscribe(nodeId, '--project', 'nobodys')).stderr).toContain(
        'no listed project has the slug nobodys',
      )
    })
  })
})
