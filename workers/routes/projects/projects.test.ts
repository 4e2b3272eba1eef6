import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ProjectManifest } from '../../../protocol/manifest/index.ts'
import { createOperator, signIn } from '../../test/callers.ts'
import { bodyOf, client, errorOf, expectInvalid, expectRefusal } from '../../test/client.ts'
import { createDeveloper, signed, submitProject } from '../../test/project.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'
import { createPublisher, findProjects } from './testing/publisher.ts'

const { developer: ada, worker, listed } = await createPublisher()
const names = async (query: string) => (await findProjects(query)).items.map(({ name }) => name)

describe('GET /v1/projects/{project_id}', () => {
  test.each([
    ['draft', 404],
    ['submitted', 404],
    ['pending_review', 404],
    ['listed', 200],
    ['paused', 200],
    ['underfunded', 200],
    ['rejected', 404],
    ['delisted', 200],
  ])(
    'a project that is %s answers strangers with %i, and its developer and operators with 200',
    async (status, expected) => {
      const { project_id } = await submitProject(ada, { worker })
      await setListingStatus(project_id, status)
      const operator = await createOperator()
      const stranger = await signIn()
      for (const path of ['', '/manifest', '/versions', '/versions/1', '/economics']) {
        const read = async (caller: { get: (path: string) => Promise<Response> }) =>
          (await caller.get(`/v1/projects/${project_id}${path}`)).status
        expect([await read(client()), await read(stranger.client)], path).toEqual([expected, expected])
        expect([await read(ada.client), await read(operator.client)], path).toEqual([200, 200])
      }
    },
  )

  test('hex is case-insensitive; any other id is 404 not_found', async () => {
    const { project_id } = await listed()
    const upper = `0x${project_id.slice(2).toUpperCase()}`
    expect((await client().get(`/v1/projects/${upper}`)).status).toBe(200)
    for (const id of ['0x12', 'my-slug', `0x${'00'.repeat(32)}`])
      expect(await errorOf(client().get(`/v1/projects/${id}`))).toMatchObject({ error: 'not_found' })
  })

  test('shows the current name and verification of its developer', async () => {
    const grace = await createDeveloper()
    const { project_id } = await listed({}, grace)
    await grace.client.put('/v1/developers/me', { display_name: 'Grace' })
    await runSql("UPDATE developers SET verification = 'rejected' WHERE address = ?", grace.address)
    expect(await bodyOf(client().get(`/v1/projects/${project_id}`))).toMatchObject({
      developer_name: 'Grace',
      developer_verified: false,
    })
  })

  test('returns the manifest exactly as it was signed', async () => {
    const { manifest, ...hashes } = await listed()
    const { worker: _, ...ids } = hashes
    const expected = { ...signed(ada.key, manifest), ...ids }
    expect(await bodyOf(client().get(`/v1/projects/${hashes.project_id}/manifest`))).toEqual(expected)
    const version = await bodyOf(client().get(`/v1/projects/${hashes.project_id}/versions/1`))
    expect(version).toMatchObject({ version: 1, signed_manifest: expected })
    expect((await client().get(`/v1/projects/${hashes.project_id}/versions/2`)).status).toBe(404)
  })

  describe('economics, from the indexed state of the vault', () => {
    const vault = `0x${'0d'.repeat(20)}`
    const cap = 64_000_000_000_000_000_000n
    const soon = Math.floor(Date.now() / 1000) + 3_600
    let projectId: string
    let manifest: ProjectManifest
    beforeEach(async () => {
      const project = await listed({ economics: { vault, daily_emission: String(cap * 24n) } })
      projectId = project.project_id
      manifest = project.manifest
    })

    const vaultWith = async (state: object) => {
      await runSql(
        "INSERT OR REPLACE INTO chain_states (kind, subject, state, block_number) VALUES ('vault', ?, ?, 1)",
        vault,
        JSON.stringify(state),
      )
      const economics = await bodyOf(client().get(`/v1/projects/${projectId}/economics`))
      return (economics as { vault: Record<string, unknown> }).vault
    }

    test('an announced withdrawal that expired is not pending, as in the vault itself', async () => {
      const pending = async (expiresAt: number) => {
        const withdrawal = { amount: '9', available_at: 1, expires_at: expiresAt }
        return (await vaultWith({ withdrawal, funded: '20' })).pending_withdrawal
      }
      expect([await pending(soon), await pending(2)]).toEqual(['9', '0'])
    })

    test('the amount of an announced withdrawal pays no epochs', async () => {
      const runway = async (expiresAt: number) => {
        const withdrawal = { amount: String(cap * 3n), available_at: 1, expires_at: expiresAt }
        return (await vaultWith({ withdrawal, funded: String(cap * 10n), reserved: String(cap) }))
          .runway_epochs
      }
      expect([await runway(soon), await runway(2)]).toEqual([6, 9])
    })

    test('the vault must have the epoch length and the cap of the manifest', async () => {
      const { developer, consensus } = manifest
      const matches = async (terms: object | undefined, next_terms: object | null = null) =>
        (await vaultWith({ developer, token: consensus.economics.reward_token, terms, next_terms }))
          .config_matches_manifest
      const terms = { from: 1, epoch_secs: 3_600, epoch_cap: String(cap) }
      expect(await matches(terms)).toBe(true)
      expect(await matches({ ...terms, epoch_secs: 7_200 })).toBe(false)
      expect(await matches({ ...terms, epoch_cap: String(cap - 1n) })).toBe(false)
      expect(await matches({ ...terms, epoch_cap: String(cap + 1n) })).toBe(false)
      expect(await matches(undefined)).toBe(false)
      const other = { ...terms, epoch_cap: '0' }
      expect(await matches(terms, { ...other, from: soon })).toBe(true)
      expect(await matches(terms, { ...other, from: 2 })).toBe(false)
    })
  })

  test('is 304 for its ETag', async () => {
    const { project_id } = await listed()
    const first = await client().get(`/v1/projects/${project_id}`)
    const etag = first.headers.get('etag') ?? ''
    expect((await client().get(`/v1/projects/${project_id}`, { 'If-None-Match': etag })).status).toBe(304)
  })
})

describe('GET /v1/projects', () => {
  beforeAll(async () => {
    await listed({
      listing: {
        name: 'Zürich Weather',
        tagline: 'Forecasts "now"',
        tags: ['climate', 'open data'],
        category: 'iot',
      },
      requirements: { device_classes: ['phone'] },
    })
    await listed({
      listing: { name: 'Alpine Snow', tagline: 'Depth of snow', tags: ['climate'], category: 'iot' },
      requirements: { device_classes: ['tablet', 'phone'] },
    })
    await listed({
      listing: { name: 'Nightly Render', tagline: 'Frames by morning', tags: ['art'], category: 'compute' },
      requirements: { device_classes: ['tablet'] },
    })
    await submitProject(ada, { worker, listing: { name: 'Hidden Snow', tags: ['climate'] } })
  })

  test.each([
    ['q=snow', ['Alpine Snow']],
    ['q=SNO%20dep', ['Alpine Snow']],
    ['q=zurich', ['Zürich Weather']],
    ['q=open%20data', ['Zürich Weather']],
    ['q=snow%20render', []],
    ['q=%22now%22', ['Zürich Weather']],
    ['q=NOT%20snow', []],
    ['q=snow%20OR%20render', []],
    ['q=name%3Asnow', []],
    ['q=***', []],
    ['q=sno%00dep', ['Alpine Snow']],
    ['q=%00', []],
    ['q=statuslisted', []],
    ['q=%F0%9E%A4%80', []],
    ['q=snow*', ['Alpine Snow']],
    ['tag=climate', ['Alpine Snow', 'Zürich Weather']],
    ['tag=Climate', []],
    ['tag=open', []],
    ['category=iot', ['Alpine Snow', 'Zürich Weather']],
    ['category=iot&q=weather', ['Zürich Weather']],
    ['q=snow&tag=climate&category=iot&device_class=tablet', ['Alpine Snow']],
    ['q=snow&tag=art', []],
    ['device_class=tablet', ['Nightly Render', 'Alpine Snow']],
    ['device_class=tablet&sort=name', ['Alpine Snow', 'Nightly Render']],
    ['tag=climate&sort=name', ['Alpine Snow', 'Zürich Weather']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test('searches answer 503 while a backup has removed the index; other lists still work', async () => {
    await runSql('ALTER TABLE project_search RENAME TO away')
    await expectRefusal(client().get('/v1/projects?q=weather'), '503 unavailable')
    expect((await client().get('/v1/projects')).status).toBe(200)
    await runSql('ALTER TABLE away RENAME TO project_search')
  })

  test('a q of blanks does not filter', async () => {
    expect((await findProjects('q=%20%20')).items.length).toBeGreaterThan(3)
  })

  test('a tag may be any text', async () => {
    for (const tag of ['a b', 'Ünï', '"', 'x']) {
      const { project_id } = await listed({ listing: { tags: [tag] } })
      expect(
        (await findProjects(`tag=${encodeURIComponent(tag)}`)).items.map((item) => item.project_id),
        tag,
      ).toEqual([project_id])
    }
    // No project has one with control characters, and they are not taken for the end of the text.
    for (const tag of ['\0', 'x\0', 'x\0y'])
      expect((await findProjects(`tag=${encodeURIComponent(tag)}`)).items).toEqual([])
  })

  test('a renamed listing is found by its new words only', async () => {
    const { project_id } = await listed({ listing: { name: 'Before', tags: ['old'] } })
    await runSql("UPDATE projects SET name = 'After', tags = '[\"new\"]' WHERE project_id = ?", project_id)
    expect([await names('q=before'), await names('tag=old')]).toEqual([[], []])
    expect([await names('q=after'), await names('tag=new')]).toEqual([['After'], ['After']])
  })

  test('only their developer and operators list unlisted projects; others get 403 forbidden', async () => {
    const operator = await createOperator()
    const own = `status=submitted&developer=${ada.address}`
    expect((await findProjects(`${own}&q=hidden`, ada.client)).items).toMatchObject([{ name: 'Hidden Snow' }])
    expect((await findProjects('status=submitted&q=hidden', operator.client)).items).toHaveLength(1)
    const stranger = await signIn()
    for (const [caller, query] of [
      [client(), own],
      [stranger.client, own],
      [ada.client, 'status=submitted'],
      [client(), 'status=paused'],
    ] as const)
      await expectRefusal(caller.get(`/v1/projects?${query}`), '403 forbidden')
  })

  test.each([
    ['category=poetry', 'category'],
    ['sort=best', 'sort'],
    ['status=gone', 'status'],
    ['device_class=watch', 'device_class'],
    ['developer=0x12', 'developer'],
    [`q=${'x'.repeat(101)}`, 'q'],
    ['limit=201', 'limit'],
    ['cursor=abc', 'cursor'],
    ['page=2', 'page'],
  ])('400 invalid_field: %s', async (query, path) => {
    await expectInvalid(client().get(`/v1/projects?${query}`), path)
  })

  test('a cursor is valid for its list and its filters only', async () => {
    const { next_cursor } = await findProjects('limit=1&sort=name')
    for (const query of ['sort=newest', 'sort=name&category=iot', 'sort=name&q=snow'])
      expect((await client().get(`/v1/projects?${query}&cursor=${next_cursor}`)).status).toBe(400)
    expect((await client().get(`/v1/projects?sort=name&cursor=${next_cursor}`)).status).toBe(200)
  })
})
