import { describe, expect, test } from 'vitest'
import { encodeCanonicalJson } from '../../../../protocol/encoding/index.ts'
import { hashSecret } from '../../../middleware/authenticate.ts'
import { signIn } from '../../../test/callers.ts'
import {
  bodyOf,
  type Client,
  client,
  errorOf,
  expectAnswer,
  expectInvalid,
  expectRefusal,
  itemsOf,
  statusesOf,
} from '../../../test/client.ts'
import {
  createDeveloper,
  hashesOf,
  manifestOf,
  signed,
  submitProject,
  uploadModule,
} from '../../../test/project.ts'
import { rowsOf, runSql } from '../../../test/tables.ts'

const path = '/v1/developers/projects'
const ada = await createDeveloper()
const worker = await uploadModule(ada)

const problemsOf = async (response: Response) => {
  const { status, error, details } = await errorOf(response)
  return { status, error, problems: details?.problems?.map((one) => [one.path, one.code]) }
}

describe('POST /v1/developers/projects/prepare', () => {
  const prepare = (manifest: unknown, by = ada.client) => bodyOf(by.post(`${path}/prepare`, { manifest }))

  test('returns the text to sign and the hashes of a valid manifest', async () => {
    const manifest = manifestOf(ada, worker)
    expect(await prepare(manifest)).toEqual({
      valid: true,
      problems: [],
      canonical: encodeCanonicalJson(manifest),
      ...hashesOf(manifest),
      vault: null,
      tier_changes: null,
    })
  })

  test('lists all problems, also those of the named module, and still derives the possible ids', async () => {
    const manifest = manifestOf(ada, { ...worker, functions: [...worker.functions, 'absent'] })
    const wrong = { ...manifest, network: 'other', listing: { ...manifest.listing, name: '' } }
    expect(await prepare(wrong)).toMatchObject({
      valid: false,
      canonical: null,
      manifest_hash: null,
      project_id: hashesOf(manifest).project_id,
      problems: [
        { path: `consensus.work.functions[${worker.functions.length}]`, code: 'invalid_value' },
        { path: 'listing.name', code: 'invalid_value' },
        { path: 'network', code: 'invalid_value' },
      ],
    })
    for (const nothing of [null, 'text', []])
      expect(await prepare(nothing)).toMatchObject({
        valid: false,
        problems: [{ path: '', code: 'invalid_manifest' }],
        project_id: null,
      })
  })

  test('an unknown or stateful module cannot be the worker', async () => {
    const unknown = manifestOf(ada, { ...worker, address: `0x${'77'.repeat(32)}` })
    const stateful = await uploadModule(ada)
    await runSql('UPDATE modules SET stateless = 0 WHERE manifest_address = ?', stateful.address)
    for (const manifest of [unknown, manifestOf(ada, stateful)])
      expect(await prepare(manifest)).toMatchObject({
        problems: [{ path: 'consensus.modules.worker', code: 'invalid_value' }],
      })
  })

  test('values without canonical form are problems in the manifest, and 400 bad_request elsewhere in the body', async () => {
    const text = JSON.stringify({ manifest: manifestOf(ada, worker) })
    const post = (body: string) =>
      ada.client.fetch(`${path}/prepare`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
    const wrong = text
      .replace('"round_secs":90', '"round_secs":90.5')
      .replace('"ram_mb":2048', '"ram_mb":1e30')
      .replace('Folds', '\\ud800')
    const { problems } = await bodyOf(post(wrong))
    for (const problem of [
      { path: 'consensus.work.round_secs', code: 'invalid_manifest' },
      { path: 'listing.description', code: 'invalid_string' },
    ])
      expect(problems).toContainEqual(expect.objectContaining(problem))
    await expectRefusal(post(text.replace('{"manifest"', '{"more":1.5,"manifest"')), '400 bad_request', {
      details: { reason: 'float', path: 'more' },
    })
  })

  test('names the tiers that differ from the version in force', async () => {
    const { manifest, manifest_hash } = await submitProject(ada, { worker })
    const next = { ...manifest, version: 2, previous: manifest_hash }
    expect(await prepare({ ...next, listing: { ...manifest.listing, name: 'Renamed' } })).toMatchObject({
      valid: true,
      tier_changes: ['listing'],
    })
    const { client: stranger } = await signIn()
    expect(await prepare(next, stranger)).toMatchObject({ valid: true, tier_changes: null })
  })

  test('a later version with another reward token is refused, also at its submission', async () => {
    const { manifest, manifest_hash, project_id } = await submitProject(ada, { worker })
    await runSql("UPDATE projects SET listing_status = 'listed' WHERE project_id = ?", project_id)
    const { economics } = manifest.consensus
    const next = {
      ...manifest,
      version: 2,
      previous: manifest_hash,
      consensus: {
        ...manifest.consensus,
        economics: { ...economics, reward_token: `0x${'c7'.repeat(20)}` as const },
      },
    }
    const problem = {
      path: 'consensus.economics.reward_token',
      code: 'invalid_value',
      message: `Found another token. Write ${economics.reward_token}, as in earlier versions: the token of a vault cannot change.`,
    }
    expect(await prepare(next)).toMatchObject({ valid: false, problems: [problem], manifest_hash: null })
    const refused = await ada.client.post(`${path}/${project_id}/versions`, signed(ada.key, next))
    await expectRefusal(refused, '422 invalid_manifest', { details: { problems: [problem] } })
  })

  test('400 invalid_field: no manifest, or an unknown member', async () => {
    for (const body of [{}, { manifest: {}, more: 1 }])
      await expectRefusal(ada.client.post(`${path}/prepare`, body), '400 invalid_field')
  })
})

describe('POST /v1/developers/projects', () => {
  const submit = (manifest: ReturnType<typeof manifestOf>, change: object = {}, by = ada) =>
    by.client.post(path, { ...signed(by.key, manifest), ...change })

  test('201 with the record and, while there is no chain, an empty transaction', async () => {
    const manifest = manifestOf(ada, worker)
    const { project_id, manifest_hash, consensus_hash } = hashesOf(manifest)
    const response = await submit(manifest, { manifest_hash, consensus_hash, project_id })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`/v1/projects/${project_id}`)
    const { project, ...ways } = await bodyOf(response)
    expect(ways).toEqual({
      register_tx: {
        chain_id: 31337,
        to: `0x${'00'.repeat(20)}`,
        data: '0x',
        value: '0',
        description: expect.any(String),
      },
    })
    expect(project).toEqual({
      listed_at: 0,
      project_id,
      slug: manifest.slug,
      developer: ada.address,
      developer_name: 'Ada',
      developer_verified: true,
      name: manifest.listing.name,
      tagline: 'Shapes from sequences',
      category: 'machine-learning',
      tags: ['biology'],
      icon: manifest.listing.icon,
      accent_color: '#1F2E3D',
      listing_status: 'submitted',
      device_classes: ['desktop', 'server'],
      token: { address: `0x${'c0'.repeat(20)}`, symbol: 'HUB', name: 'Hub (testnet)', decimals: 18 },
      reward_model: 'per-unit',
      min_collateral: '7000000000000000000',
      miners: 0,
      avg_daily_reward_per_miner: '0',
      average_rating_x100: null,
      review_count: 0,
      trending: false,
      featured: false,
      version: 1,
      manifest_hash,
      consensus_hash,
      pending_version: null,
      created_at: expect.any(Number),
      consensus: manifest.consensus,
      scheduling: manifest.scheduling,
      listing: manifest.listing,
      vault: manifest.consensus.economics.vault,
      review: { status: 'pending', reason: null, conditions: [], decided_at: null },
      stats: expect.objectContaining({ period: '24h', miners_subscribed: 0, rounds: 0 }),
      economics: expect.objectContaining({
        epoch_cap: '21333333333333333333',
        epoch_secs: 3_600,
        vault: {
          address: manifest.consensus.economics.vault,
          deployed: false,
          config_matches_manifest: false,
          balance: '0',
          reserved: '0',
          total_paid: '0',
          pending_withdrawal: '0',
          runway_epochs: 0,
          runway_days: 0,
        },
      }),
    })
    const { listed_at: _, ...unlisted } = project
    expect(await bodyOf(ada.client.get(`/v1/projects/${project_id}`))).toEqual(unlisted)
    expect((await client().get(`/v1/projects/${project_id}`)).status).toBe(404)
  })

  test('200 with the same record for the same signed manifest, 409 already_exists for another', async () => {
    const { manifest, project_id } = await submitProject(ada, { worker })
    await expectAnswer(submit(manifest), 200, { project: { project_id, listing_status: 'submitted' } })
    const other = { ...manifest, listing: { ...manifest.listing, name: 'Other' } }
    await expectRefusal(submit(other), '409 already_exists', {
      message: expect.stringContaining(`GET /v1/projects/${project_id}/manifest`),
      details: { project_id },
    })
    await runSql("UPDATE projects SET listing_status = 'listed' WHERE project_id = ?", project_id)
    await expectRefusal(submit(manifest), '409 already_exists')
  })

  test('of ten racing projects with one slug, exactly one is accepted and stored', async () => {
    const manifests = Array.from({ length: 10 }, (_, index) =>
      manifestOf(ada, worker, { slug: 'race-for-it', listing: { name: `Racer ${index}` } }),
    )
    const answers = await Promise.all(manifests.map((manifest) => submit(manifest)))
    expect(await statusesOf(answers)).toEqual([201, ...Array(9).fill(409)])
    const winner = manifests[answers.findIndex(({ status }) => status === 201)]
    const results = await rowsOf(
      'SELECT manifest_hash FROM project_versions WHERE project_id = ?',
      hashesOf(manifests[0]!).project_id,
    )
    expect(results).toEqual([{ manifest_hash: hashesOf(winner!).manifest_hash }])
  })

  test('two developers can use the same slug for two projects', async () => {
    const grace = await createDeveloper()
    const one = await submit(manifestOf(ada, worker, { slug: 'shared-slug' }))
    const two = await submit(manifestOf(grace, worker, { slug: 'shared-slug' }), {}, grace)
    expect([one.status, two.status]).toEqual([201, 201])
  })

  test('403 not_enrolled and not_verified come before problems of the manifest', async () => {
    const { client: stranger } = await signIn()
    const wrong = { ...signed(ada.key, manifestOf(ada, worker)), manifest: {} }
    await expectRefusal(stranger.post(path, wrong), '403 not_enrolled')
    const grace = await createDeveloper()
    await runSql("UPDATE developers SET verification = 'pending' WHERE address = ?", grace.address)
    await expectRefusal(grace.client.post(path, wrong), '403 not_verified')
  })

  test('422 invalid_manifest with all problems, before owner and signature', async () => {
    const grace = await createDeveloper()
    const manifest = { ...manifestOf(ada, worker), slug: 'No', previous: `0x${'00'.repeat(32)}` }
    expect(await problemsOf(await grace.client.post(path, signed(ada.key, manifest)))).toEqual({
      status: 422,
      error: 'invalid_manifest',
      problems: [
        ['previous', 'invalid_value'],
        ['slug', 'invalid_slug'],
      ],
    })
  })

  test('422 invalid_manifest: a wrong hash is a problem at its member', async () => {
    const stated = { manifest_hash: `0x${'01'.repeat(32)}`, project_id: `0x${'02'.repeat(32)}` }
    expect(await problemsOf(await submit(manifestOf(ada, worker), stated))).toMatchObject({
      status: 422,
      problems: [
        ['manifest_hash', 'invalid_value'],
        ['project_id', 'invalid_value'],
      ],
    })
  })

  test('403 not_owner: a manifest of another developer with a valid signature', async () => {
    const grace = await createDeveloper()
    const envelope = signed(grace.key, manifestOf(grace, worker))
    await expectRefusal(ada.client.post(path, envelope), '403 not_owner')
  })

  test('422 bad_signature: a signature of another key or over another manifest', async () => {
    const grace = await createDeveloper()
    const manifest = manifestOf(ada, worker)
    const { signature } = signed(ada.key, { ...manifest, version: 2 })
    for (const envelope of [signed(grace.key, manifest), { ...signed(ada.key, manifest), signature }])
      await expectRefusal(ada.client.post(path, envelope), '422 bad_signature')
  })

  test('422 invalid_manifest: a version that is not the first, after its signature', async () => {
    const manifest = manifestOf(ada, worker, { version: 2, previous: `0x${'01'.repeat(32)}` })
    expect(await problemsOf(await submit(manifest))).toMatchObject({
      status: 422,
      problems: [['version', 'invalid_value']],
    })
  })

  test.each([
    ['another sig_type', { sig_type: 'eip712' }, 'sig_type'],
    ['a signature in upper case', { signature: `0x${'AB'.repeat(65)}` }, 'signature'],
    ['an unknown member', { more: 1 }, 'more'],
  ])('400 invalid_field: %s', async (_, change, problem) => {
    await expectInvalid(submit(manifestOf(ada, worker), change), problem)
  })

  test('a key with projects:write may submit; one for other projects is 403 forbidden', async () => {
    const secret = 'K'.repeat(43)
    const insert = (keyId: string, projectIds: string[] | null) =>
      runSql(
        `INSERT INTO api_keys (key_id, owner, name, secret_hash, scopes, project_ids, created_at)
        VALUES (?, ?, 'test', ?, '["projects:write","projects:read"]', ?, 1)`,
        keyId,
        ada.address,
        hashSecret(secret),
        projectIds && JSON.stringify(projectIds),
      )
    const other = await submitProject(ada, { worker })
    await insert('anykey00', null)
    await insert('onekey00', [other.project_id])
    const envelope = signed(ada.key, manifestOf(ada, worker))
    const restricted = client({ token: `hub_test_onekey00_${secret}` })
    await expectRefusal(restricted.post(path, envelope), '403 forbidden')
    expect((await client({ token: `hub_test_anykey00_${secret}` }).post(path, envelope)).status).toBe(201)
    const next = (projectId: string) => restricted.post(`${path}/${projectId}/versions`, envelope)
    const foreign = hashesOf(envelope.manifest).project_id
    await expectRefusal(next(foreign.toUpperCase().replace('0X', '0x')), '403 forbidden')
    await expectRefusal(next(other.project_id), '409 invalid_state')
    const own = async (caller: Client) =>
      (await itemsOf(caller.get('/v1/developers/me/projects'))).map(({ project_id }) => project_id)
    expect(await own(restricted)).toEqual([other.project_id])
    expect((await own(ada.client))[0]).toBe(hashesOf(envelope.manifest).project_id)
    expect((await restricted.get(`/v1/projects/${other.project_id}`)).status).toBe(200)
    expect((await restricted.get(`/v1/projects/${hashesOf(envelope.manifest).project_id}`)).status).toBe(404)
  })
})

describe('POST /v1/developers/projects/{project_id}/register', () => {
  test('404 for strangers, 503 while there is no chain', async () => {
    const { project_id } = await submitProject(ada, { worker })
    const { client: stranger } = await signIn()
    const body = { typed_data: {}, signature: '0x' }
    expect((await stranger.post(`${path}/${project_id}/register`, body)).status).toBe(404)
    expect((await ada.client.post(`${path}/0x${'12'.repeat(32)}/register`, body)).status).toBe(404)
    await expectRefusal(ada.client.post(`${path}/${project_id}/register`, body), '503 unavailable')
  })
})
