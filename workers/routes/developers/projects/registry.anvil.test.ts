import { env } from 'cloudflare:workers'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { projectRegistryAbi, vaultFactoryAbi } from '../../../../contracts/generated/contracts.ts'
import type { GaslessPayload } from '../../../../protocol/actions/index.ts'
import { epochCap } from '../../../../protocol/earnings/index.ts'
import type { ProjectManifest } from '../../../../protocol/manifest/index.ts'
import { encodeActionCall } from '../../../actions/action-calls.ts'
import type { DirectTransaction } from '../../../actions/direct-transaction.ts'
import { services } from '../../../services.ts'
import { withAbsentChain } from '../../../test/absent-chain.ts'
import { createOperator } from '../../../test/callers.ts'
import { asAccount, chain, finalizeRelays, readChain, rpc, send, signedPayload } from '../../../test/chain.ts'
import { bodyOf, client, errorOf, expectRefusal, itemsOf, runSchedule } from '../../../test/client.ts'
import type { Json } from '../../../test/known-answers.ts'
import {
  createDeveloper,
  economicsOn,
  hashesOf,
  type ManifestChange,
  manifestOf,
  signed,
  uploadModule,
} from '../../../test/project.ts'
import { runSql } from '../../../test/tables.ts'
import { nextVersion } from './testing/next-version.ts'

const path = '/v1/developers/projects'
const empty = { token: '', vault_factory: '', vault_implementation: '', project_registry: '' }
const contracts = chain?.contracts ?? empty

interface Ways {
  project: { project_id: string; listing_status: string }
  register_tx: DirectTransaction
  register_by_sig: GaslessPayload & { direct_tx: DirectTransaction }
}

const ada = await createDeveloper()
const worker = await uploadModule(ada)

let slugs = 0
const draft = (change: ManifestChange = {}, developer = ada): ProjectManifest => {
  slugs += 1
  const slug = change.slug ?? `on-chain-${slugs}`
  const economics = { ...economicsOn(contracts, developer, slug), ...change.economics }
  return manifestOf(developer, worker, { ...change, slug, economics })
}

async function submit(manifest = draft()) {
  const response = await ada.client.post(path, signed(ada.key, manifest))
  const ways = await bodyOf<Ways>(response)
  return { manifest, ...hashesOf(manifest), ways, status: response.status }
}

const withNonce = (payload: GaslessPayload, nonce: string): GaslessPayload => ({
  ...payload,
  typed_data: { ...payload.typed_data, message: { ...payload.typed_data.message, nonce } },
})

/** A project on the chain and in the list. */
async function listed(change: ManifestChange = {}) {
  const submitted = await submit(draft(change))
  const body = signedPayload(ada.key, submitted.ways.register_by_sig)
  const relayed = await register(submitted.project_id, body)
  if (relayed.status !== 202) throw new Error(await relayed.text())
  await finalizeRelays()
  await runSql("UPDATE projects SET listing_status = 'listed' WHERE project_id = ?", submitted.project_id)
  return submitted
}

const read = (projectId: string) => bodyOf(ada.client.get(`/v1/projects/${projectId}`))

/** A transaction of the developer's own. */
const sendAsAda = (to: string, data: string) => asAccount(ada.address, () => send(ada.address, to, data))

const register = (projectId: string, body: unknown) => ada.client.post(`${path}/${projectId}/register`, body)

const submitVersion = (projectId: string, manifest: ProjectManifest) =>
  ada.client.post(`${path}/${projectId}/versions`, signed(ada.key, manifest))

describe.skipIf(chain === null)('registration', () => {
  test('by signature: is relayed and indexed and then awaits review; the developer needs no coins', async () => {
    const { project_id, manifest, ways, status } = await submit()
    expect(status).toBe(201)
    expect(ways.register_by_sig).toMatchObject({
      action: 'register_project',
      typed_data: {
        primaryType: 'Register',
        message: { developer: ada.address, slug: manifest.slug, nonce: '0' },
      },
      direct_tx: ways.register_tx,
    })
    const body = signedPayload(ada.key, ways.register_by_sig)
    const relayed = await register(project_id, body)
    expect(relayed.status).toBe(202)
    const location = relayed.headers.get('location') ?? ''
    await finalizeRelays()
    expect(await bodyOf(client().get(location))).toMatchObject({
      action: 'register_project',
      status: 'confirmed',
    })
    expect(await read(project_id)).toMatchObject({
      listing_status: 'pending_review',
      registry_tx: expect.stringMatching(/^0x/),
    })
    // The same signed registration again is answered with what became of it, another one with the state.
    expect((await register(project_id, body)).status).toBe(202)
    await expectRefusal(register(project_id, { typed_data: {}, signature: '0x' }), '409 invalid_state', {
      details: { listing_status: 'pending_review' },
    })
  })

  test('by signature: a stranger submits it on chain, and the hub indexes it before the developer posts it', async () => {
    const { project_id, ways } = await submit()
    const body = signedPayload(ada.key, ways.register_by_sig)
    const { message } = body.typed_data
    const data = encodeActionCall('register_project', {
      message,
      signature: body.signature,
      digest: '0x',
      permit: null,
    })
    const [stranger] = (await rpc<string[]>('eth_accounts')).slice(6)
    await send(stranger, contracts.project_registry, data)
    await readChain()
    const project = await read(project_id)
    expect(project).toMatchObject({ listing_status: 'pending_review' })
    const answers = await Promise.all([1, 2].map(() => register(project_id, body)))
    for (const answer of answers) {
      const shown = await answer.json()
      expect([answer.status, shown]).toMatchObject([
        202,
        { status: 'confirmed', error: null, tx_hash: project.registry_tx },
      ])
      const bookmark = answer.headers.get('x-bookmark') ?? ''
      expect(
        await bodyOf(client().get(answer.headers.get('location') ?? '', { 'X-Bookmark': bookmark })),
      ).toEqual(shown)
    }
  })

  test('by a transaction of the developer: a reorganisation reverts it', async () => {
    const { project_id, ways } = await submit()
    await sendAsAda(ways.register_tx.to, ways.register_tx.data)
    await readChain()
    expect(await read(project_id)).toMatchObject({ listing_status: 'pending_review' })
    const versions = () => itemsOf(ada.client.get(`/v1/projects/${project_id}/versions`))
    expect(await versions()).toMatchObject([{ version: 1, status: 'active' }])
    await rpc('anvil_reorg', 1, [])
    await readChain()
    expect(await read(project_id)).toMatchObject({ listing_status: 'submitted' })
    expect(await versions()).toMatchObject([{ version: 1, status: 'submitted' }])
  })

  test('another manifest under the same id on chain does not change the status', async () => {
    const { project_id, manifest } = await submit()
    const other = `0x${'5e'.repeat(32)}` as Hex
    const data = encodeFunctionData({
      abi: projectRegistryAbi,
      functionName: 'register',
      args: [manifest.slug, other, other, other],
    })
    await sendAsAda(contracts.project_registry, data)
    await readChain()
    expect(await read(project_id)).toMatchObject({ listing_status: 'submitted' })
  })

  test('on chain before the submission: the project awaits review at once', async () => {
    const manifest = draft()
    const { consensus_hash, manifest_hash } = hashesOf(manifest)
    const data = encodeFunctionData({
      abi: projectRegistryAbi,
      functionName: 'register',
      args: [manifest.slug, worker.address as Hex, consensus_hash as Hex, manifest_hash as Hex],
    })
    await sendAsAda(contracts.project_registry, data)
    await readChain()
    expect((await submit(manifest)).ways.project).toMatchObject({ listing_status: 'pending_review' })
  })

  test('422 invalid_manifest: the vault of another project, an address that is not a token', async () => {
    const other = `0x${'0a'.repeat(20)}`
    for (const economics of [
      { vault: other },
      { reward_token: other },
      { reward_token: contracts.project_registry },
    ]) {
      const { details } = await errorOf(ada.client.post(path, signed(ada.key, draft({ economics }))))
      const [member] = Object.keys(economics)
      expect(details?.problems).toEqual([expect.objectContaining({ path: `consensus.economics.${member}` })])
    }
  })

  test('422 invalid_manifest: a token whose symbol is blank or contains hidden characters', async () => {
    const address = `0x${'70'.repeat(20)}`
    const problemsOf = async (symbol: string) => {
      const bytes = Buffer.from(symbol)
      const word = Buffer.concat([bytes, Buffer.alloc(32 - bytes.length)]).toString('hex')
      // Answers every call with the text; read as a number of decimals, that is 32.
      const code = `0x602060005260${bytes.length.toString(16).padStart(2, '0')}6020527f${word}60405260606000f3`
      await rpc('anvil_setCode', address, code)
      const manifest = draft({ economics: { reward_token: address } as object })
      const { problems } = await bodyOf(ada.client.post(`${path}/prepare`, { manifest }))
      return problems.map((one: Json) => one.path)
    }
    expect(await problemsOf('USD')).toEqual([])
    for (const symbol of ['\u202eDSU', 'US\u0007D', ' ', '\u200b'])
      expect(await problemsOf(symbol)).toEqual(['consensus.economics.reward_token'])
  })

  test('503 unavailable while the chain is down, and nothing is stored', async () => {
    const manifest = draft()
    await withAbsentChain(async (bindings) => {
      const offline = client({ token: ada.token, bindings })
      await expectRefusal(offline.post(path, signed(ada.key, manifest)), '503 unavailable')
    })
    expect((await ada.client.get(`/v1/projects/${hashesOf(manifest).project_id}`)).status).toBe(404)
  })

  test.each([
    ['a changed field', { slug: 'other-slug' }, '400 invalid_field'],
    ['a deadline that has passed', { deadline: '1' }, '400 invalid_field'],
    ['a deadline too far ahead', { deadline: String(2 ** 40) }, '400 invalid_field'],
    ['an unknown field', { more: '1' }, '400 invalid_field'],
    ['a nonce that is not the current one', { nonce: '7' }, '409 conflict'],
  ])('a signed registration with %s is refused: %j', async (_, change, refusal) => {
    const grace = await createDeveloper()
    const manifest = manifestOf(grace, worker, {
      slug: 'refused',
      economics: economicsOn(contracts, grace, 'refused'),
    })
    const { project, register_by_sig: payload } = await bodyOf<Ways>(
      grace.client.post(path, signed(grace.key, manifest)),
    )
    const message = { ...payload.typed_data.message, ...change }
    const changed = { ...payload, typed_data: { ...payload.typed_data, message } } as GaslessPayload
    const known = Object.keys(change)[0] !== 'more'
    const body = known
      ? signedPayload(grace.key, changed)
      : { ...signedPayload(grace.key, payload), ...{ typed_data: changed.typed_data } }
    const register = `${path}/${project.project_id}/register`
    await expectRefusal(grace.client.post(register, body), refusal)
    const stranger = await createDeveloper()
    await expectRefusal(
      grace.client.post(register, signedPayload(stranger.key, payload)),
      '422 bad_signature',
    )
    await expectRefusal(grace.client.post(register), '400 bad_request')
  })
})

describe.skipIf(chain === null)('versions', () => {
  test('a changed consensus: submitted, published by signature, registered, active from its epoch', async () => {
    const first = await listed()
    const next = nextVersion(first, { work: { epoch_secs: 7_200 }, listing: { name: 'Longer Epochs' } })
    const { version, publish_tx } = await bodyOf(submitVersion(first.project_id, next))
    expect(version).toMatchObject({ status: 'submitted', tiers_changed: ['consensus', 'listing'] })
    expect(await read(first.project_id)).toMatchObject({
      version: 1,
      name: first.manifest.listing.name,
      pending_version: { version: 2, status: 'submitted', effective_epoch: null },
    })

    const publish = `${path}/${first.project_id}/versions/2/publish`
    const payload = await bodyOf(ada.client.post(publish))
    expect(payload).toMatchObject({
      action: 'publish_version',
      direct_tx: publish_tx,
      typed_data: {
        primaryType: 'PublishVersion',
        message: {
          developer: ada.address,
          projectId: first.project_id,
          version: 2,
          manifestHash: hashesOf(next).manifest_hash,
        },
      },
    })
    const signatures: [object, string][] = [
      [{ headers: { 'Content-Type': 'text/plain' }, body: '{}' }, '400 bad_request'],
      [{ json: signedPayload(worker.address, payload) }, '422 bad_signature'],
      [{ json: signedPayload(ada.key, withNonce(payload, '7')) }, '409 conflict'],
    ]
    for (const [init, refusal] of signatures)
      await expectRefusal(ada.client.fetch(publish, { method: 'POST', ...init }), refusal)
    expect((await ada.client.post(publish, signedPayload(ada.key, payload))).status).toBe(202)
    await finalizeRelays()
    const { pending_version: pending } = await read(first.project_id)
    const { publish_tx: hash, published_at } = pending
    expect(pending).toMatchObject({ version: 2, status: 'registered' })
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
    // The first common boundary of 3600 and 7200 whose snapshot cannot have been built.
    expect(pending.effective_epoch).toBe(Math.floor((published_at + 960) / 7_200) + 1)
    await expectRefusal(ada.client.post(publish), '409 invalid_state')

    await runSql(
      'UPDATE project_versions SET effective_at = 1 WHERE project_id = ? AND version = 2',
      first.project_id,
    )
    expect(await read(first.project_id)).toMatchObject({
      version: 2,
      name: 'Longer Epochs',
      pending_version: null,
      economics: { epoch_secs: 7_200 },
    })
  })

  test('a version whose publication a reorganisation reverts has the status submitted again', async () => {
    const first = await listed()
    const next = nextVersion(first, { work: { round_secs: 100 } })
    const { publish_tx } = await bodyOf(submitVersion(first.project_id, next))
    await sendAsAda(publish_tx.to, publish_tx.data)
    await readChain()
    expect(await read(first.project_id)).toMatchObject({ pending_version: { status: 'registered' } })
    await rpc('anvil_reorg', 1, [])
    await readChain()
    expect(await read(first.project_id)).toMatchObject({
      pending_version: { status: 'submitted', effective_epoch: null },
    })
  })
})

describe.skipIf(chain === null)('decisions of operators', () => {
  test('reach the registry, also after an attempt that failed', async () => {
    const { project_id, ways } = await submit()
    await register(project_id, signedPayload(ada.key, ways.register_by_sig))
    const mirrored = async () => {
      await finalizeRelays()
      return (await services(env).chainIndex.state('project', project_id))?.listing_status
    }
    await finalizeRelays()
    const operator = await createOperator()
    const decide = (action: string, caller = operator.client) =>
      caller.post(`/admin/v1/projects/${project_id}/review`, { action })
    expect((await decide('approve')).status).toBe(200)
    await expect.poll(mirrored).toBe('listed')

    // While nothing can be relayed, only the row records that the registry has to be updated.
    const bindings = { RELAYER_PRIVATE_KEY: undefined as never, OPERATOR_ADDRESSES: operator.address }
    expect((await decide('pause', client({ token: operator.token, bindings }))).status).toBe(200)
    // The row's next attempt is due in a minute; this makes it due now.
    await runSql("UPDATE hub_actions SET next_attempt_at = 0 WHERE state = 'open'")
    await runSchedule()
    await expect.poll(mirrored).toBe('paused')
    const wish = () => services(env).hubActions.find('set_listing_status', project_id)
    expect(await wish()).toMatchObject({ state: 'open', attempts: 1 })
    // Deep enough for the chain to call the block final.
    await rpc('anvil_mine', '0x80')
    await readChain()
    await runSql('UPDATE hub_actions SET next_attempt_at = 1')
    await runSchedule()
    expect(await wish()).toMatchObject({ state: 'done', attempts: 1 })
  })

  test('economics show the vault once it is deployed', async () => {
    const { project_id, manifest } = await listed()
    const economics = async () => (await bodyOf(client().get(`/v1/projects/${project_id}/economics`))).vault
    expect(await economics()).toMatchObject({ deployed: false, config_matches_manifest: false })
    const { work, economics: terms } = manifest.consensus
    const create = encodeFunctionData({
      abi: vaultFactoryAbi,
      functionName: 'create',
      args: [
        project_id as Hex,
        contracts.token as Hex,
        work.epoch_secs,
        epochCap(terms.daily_emission, work.epoch_secs),
      ],
    })
    await asAccount(ada.address, () => send(ada.address, chain?.contracts.vault_factory, create))
    await readChain()
    expect(await economics()).toMatchObject({ deployed: true, config_matches_manifest: true, balance: '0' })
  })
})
