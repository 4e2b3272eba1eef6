import { describe, expect, test } from 'vitest'
import { hashSnapshot, type Snapshot } from '../../../../../protocol/committees/index.ts'
import { hashText } from '../../../../../protocol/encoding/index.ts'
import { echo } from '../../../../../testing/node/artifacts.ts'
import { testParts } from '../../../../../testing/node/node-parts.ts'
import { attestedSet, createTestProject, createTestRound } from '../../../../../testing/node/test-project.ts'
import { showArtifact, startTestHub, validatorSeeds } from '../../../../../testing/node/validator-network.ts'
import { hubClient } from '../hub-client.ts'
import { answering, sendJson } from '../testing/lying-hub.ts'
import { hubSources } from './index.ts'

const project = createTestProject()
const { projectId, epoch, consensus, consensusHash, envelope } = project
const setTarget = `/v1/committees/${projectId}/${epoch}`

/** The sources of a node that fetches from a test hub. */
async function setUp({ isHubAway = false } = {}) {
  const hub = await startTestHub(project)
  const generationFollower = { ask: async () => {}, isHubAway }
  const parts = { ...testParts(hashText('self')), generationFollower }
  const sources = hubSources(parts, hubClient(new URL(hub.origin)), (error) => error)
  return { hub, store: parts.store, sources }
}

/** The set of the project with changes, and its name. */
function changedSet(change: Partial<Snapshot> = {}, signers = validatorSeeds) {
  const snapshot = { ...project.snapshot, ...change }
  const setHash = hashSnapshot(snapshot)
  return {
    named: { projectId, epoch, setHash },
    answer: attestedSet({ ...project, snapshot, setHash }, signers),
  }
}

describe('a set, whether it is stored or drawn from', () => {
  test.each([
    ['of another network', { network: 'other' }, 'belongs to the network other'],
    ['under other parameters', { params_hash: hashText('other') }, 'other parameters'],
    ['of another epoch', { epoch: epoch + 1 }, `belongs to epoch ${epoch + 1}`],
    ['with another length of epochs', { epoch_secs: 7_200 }, 'epochs of 7200 s'],
  ])('%s is refused', async (_, change, problem) => {
    const { hub, store, sources } = await setUp()
    const { named, answer } = changedSet(change)
    hub.show(setTarget, answer)
    for (const fetch of [sources.storeSet, sources.drawSet])
      await expect(fetch(named)).rejects.toMatchObject({
        name: 'SourceRefused',
        kind: 'set',
        message: expect.stringContaining(problem),
      })
    expect(store.sets.has(named.setHash)).toBe(false)
  })

  test('with a repeated member is refused', async () => {
    const { hub, sources } = await setUp()
    const { named, answer } = changedSet()
    const text = JSON.stringify(answer).replace('"snapshot":{', '"snapshot":{"v":1,')
    hub.answers.set(setTarget, answering('application/json', text))
    for (const fetch of [sources.storeSet, sources.drawSet])
      await expect(fetch(named)).rejects.toThrow('not acceptable')
  })

  test('without a quorum is refused, and may be requested again while the hub does not list the validators', async () => {
    const few = changedSet({}, validatorSeeds.slice(0, 2))
    for (const [isHubAway, name] of [
      [false, 'SourceRefused'],
      [true, 'SourceAway'],
    ] as const) {
      const { hub, sources } = await setUp({ isHubAway })
      hub.show(setTarget, few.answer)
      for (const fetch of [sources.storeSet, sources.drawSet])
        await expect(fetch(few.named)).rejects.toMatchObject({ name })
    }
  })

  test('of more than 48 MiB is refused before it is read', async () => {
    const { hub, sources } = await setUp()
    const { named } = changedSet()
    hub.answers.set(setTarget, answering('application/json', Buffer.alloc(50 * 1024 * 1024, ' ')))
    for (const fetch of [sources.storeSet, sources.drawSet])
      await expect(fetch(named)).rejects.toThrow(`sent more than ${48 * 1024 * 1024} bytes`)
  })

  test('that several callers request at once is read once', async () => {
    const { hub, store, sources } = await setUp()
    const { named, answer } = changedSet()
    hub.show(setTarget, answer)
    await Promise.all([1, 2, 3].map(() => sources.storeSet(named)))
    await Promise.all([1, 2, 3].map(() => sources.drawSet(named)))
    expect(hub.requests.filter((one) => one === `GET ${setTarget}`)).toHaveLength(2)
    expect(store.sets.epochSecs(named)).toBe(3_600)
  })
})

describe('rules', () => {
  const otherId = createTestProject({ slug: 'other-project' }).projectId

  test.each([
    ['nobody signed', projectId, { ...envelope, signature: `0x${'11'.repeat(65)}` }],
    ['the developer of another project signed', otherId, envelope],
    ['break a rule', projectId, { ...envelope, manifest: { ...envelope.manifest, consensus: {} } }],
  ])('that %s are refused', async (_, id, shown) => {
    const { hub, store, sources } = await setUp()
    hub.show(`/v1/projects/${id}/manifest`, shown)
    hub.show(`/v1/projects/${id}/versions`, { items: [], next_cursor: null })
    await expect(sources.rules(id, consensusHash)).rejects.toMatchObject({
      kind: 'rules',
      code: 'unknown_rules',
    })
    expect(store.projectRules.find(id, consensusHash)).toBeNull()
  })

  test('that were checked are not requested again', async () => {
    const { hub, sources } = await setUp()
    expect(await sources.rules(projectId, consensusHash)).toEqual(consensus)
    const asked = hub.requests.length
    expect(await sources.rules(projectId, consensusHash)).toEqual(consensus)
    expect(hub.requests).toHaveLength(asked)
  })
})

describe('a module', () => {
  test('that several callers request at once is fetched once, and a missing one is named', async () => {
    const { hub, sources } = await setUp()
    await expect(sources.module(echo.address)).rejects.toMatchObject({ kind: 'module', code: 'not_found' })
    showArtifact(hub, echo.address, echo.bytes)
    const before = hub.requests.length
    const modules = await Promise.all([1, 2, 3].map(() => sources.module(echo.address)))
    expect(modules.map(({ functions }) => functions)).toEqual(Array(3).fill(['echo']))
    expect(hub.requests).toHaveLength(before + 1)
  })

  test('that is declared as another type is refused', async () => {
    const { hub, sources } = await setUp()
    hub.answers.set(`/v1/modules/${echo.address}/hbc`, answering('text/html', echo.bytes))
    await expect(sources.module(echo.address)).rejects.toMatchObject({
      name: 'SourceRefused',
      code: 'hub_answer',
    })
  })

  test('that a proxy cannot deliver now may be requested again', async () => {
    const { hub, sources } = await setUp()
    hub.answers.set(`/v1/modules/${echo.address}/hbc`, (_, response) => {
      response.writeHead(429, { 'Retry-After': '7' }).end('slower')
    })
    await expect(sources.module(echo.address)).rejects.toMatchObject({
      name: 'SourceAway',
      retryAfterSeconds: 7,
    })
  })
})

test('a round of more than 1 MiB is read, without the votes of other rounds', async () => {
  const { hub, sources } = await setUp()
  const { roundId } = createTestRound(project)
  const own = { round_id: roundId, padding: 'x'.repeat(2 * 1024 * 1024) }
  hub.answers.set(`/v1/explorer/rounds/${roundId}`, (_, response) =>
    sendJson(response, { state: 'failed', finality_votes: [own, { round_id: 'task:other' }, 7] }),
  )
  expect(await sources.round(roundId)).toEqual({ state: 'failed', finalityVotes: [own] })
})
