import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { attestSnapshot, drawCommittee, hashSnapshot } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { services } from '../services.ts'
import { createNode, type TestNode } from '../test/callers.ts'
import { bodyOf, client, errorOf, expectRefusal } from '../test/client.ts'
import { minCollateral } from '../test/subscription.ts'
import { emptyTables, rowOf, rowsOf } from '../test/tables.ts'
import { setValidators } from '../test/validators.ts'
import {
  addValidator,
  advance,
  attest,
  attestAs,
  bonded,
  chain,
  epoch,
  find,
  happen,
  minerAt,
  now,
  profile,
  project,
  readSet,
  setListing,
  subscribe,
  testSets,
} from './testing/project-sets.ts'

testSets()

describe('an epoch that runs without an attested set', () => {
  const lateAt = async (time: number) => {
    vi.setSystemTime(time * 1000)
    return await bodyOf(client().get('/v1/status'))
  }
  const about = (what: string, since = now) => ({ what, project_id: project, epoch, since, count: 1 })

  test('is reported by the status with its project, even without a beacon and without waiting tasks', async () => {
    await happen({})
    chain.down = true
    await services(env).committees?.(project).wake(project)
    await runDurableObjectAlarm(env.PROJECT_COMMITTEES.getByName(project))
    expect((await lateAt(now + 59)).late).toEqual([])
    expect(await lateAt(now + 65)).toMatchObject({ status: 'degraded', late: [about('set_not_built')] })
    chain.down = false
    expect(await advance()).toMatchObject({ open: 1 })
    expect((await lateAt(now + 130)).late).toEqual([about('set_not_attested', now + 65)])
    await addValidator(0)
    expect(await advance()).toMatchObject({ open: 0 })
    expect((await lateAt(now + 140)).late).toEqual([])
  })

  test('is reported if a set lost its quorum, until it has a quorum again', async () => {
    await happen({})
    await addValidator(0)
    expect(await advance()).toMatchObject({ open: 0 })
    const second = await addValidator(1)
    await setValidators([second])
    const answer = chain.hosts.get(second.host)
    chain.hosts.delete(second.host)
    expect(await advance()).toMatchObject({ open: 1 })
    // Later than any report that the isolate keeps.
    expect((await lateAt(now + 300)).late).toEqual([about('set_not_attested')])
    // By the validator's own call.
    if (answer !== undefined) chain.hosts.set(second.host, answer)
    await attestAs(second)
    expect((await lateAt(now + 310)).late).toEqual([])
  })

  test('is not late before its start or after its end, and not for a closed project', async () => {
    await happen({})
    const { committeeSets, lateWork } = services(env)
    const namedAt = async (time: number) => (await lateWork.list(time)).length
    await committeeSets.noteMissing({ projectId: project, epoch: epoch + 1, epochSecs: 3_600 }, now)
    const begins = (epoch + 1) * 3_600
    const times = [begins - 1, begins + 59, begins + 60, begins + 3_599, begins + 3_600]
    expect(await Promise.all(times.map(namedAt))).toEqual([0, 0, 1, 1, 0])
    await setListing('delisted')
    expect(await namedAt(begins + 60)).toBe(0)
    expect(await rowsOf('SELECT * FROM epochs_without_set')).toHaveLength(1)
    await committeeSets.purgeMissing(begins + 3_600)
    expect(await rowOf('SELECT * FROM epochs_without_set')).toBeNull()
  })
})

describe('the object of a project', () => {
  const object = () => env.PROJECT_COMMITTEES.getByName(project)

  test('builds one set, however often its alarm fires and it is evicted', async () => {
    const miner = minerAt(0)
    await subscribe(miner)
    await happen({ 3: [bonded(miner, minCollateral)] })
    await services(env).committees?.(project).wake(project)
    expect(await runDurableObjectAlarm(object())).toBe(true)
    const built = await find()
    expect(built).toMatchObject({ entries: 1, attestedAt: null })
    await evictDurableObject(object())
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await find()).toEqual(built)
  })

  test('continues after the chain failed to answer', async () => {
    await happen({})
    chain.down = true
    await services(env).committees?.(project).wake(project)
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await find()).toBeNull()
    chain.down = false
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await find()).not.toBeNull()
  })

  test('does nothing while its project is not listed', async () => {
    await happen({})
    await setListing('delisted')
    await services(env).committees?.(project).wake(project)
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await runDurableObjectAlarm(object())).toBe(false)
  })
})

describe('the routes of committee sets', () => {
  let validator: TestNode
  beforeEach(async () => {
    for (const miner of [0, 1, 2, 3, 4].map(minerAt)) await subscribe(miner)
    await happen({ 3: [0, 1, 2, 3, 4].map((i) => bonded(minerAt(i), minCollateral * BigInt(i + 1))) })
    await advance(project, env)
    validator = await addValidator(0)
  })

  const path = () => `/v1/committees/${project}/${epoch}`
  const nodePath = () => `/v1/nodes/committee-sets/${project}/${epoch}`
  const errorAt = async (at: string) => errorOf(client().get(at))
  const postAttestation = async () => validator.call('POST', nodePath(), attest(validator, await readSet()))

  test('425 invalid_state until a quorum has attested, then the attested snapshot and its draws', async () => {
    const early = { status: 425, error: 'invalid_state', details: { reason: 'not_attested' } }
    expect(await errorAt(path())).toMatchObject(early)
    expect(await errorAt(`${path()}/0`)).toMatchObject(early)

    const posted = await postAttestation()
    expect(posted.status).toBe(200)
    const snapshot = await readSet()
    const [set_hash, attestations] = [hashSnapshot(snapshot), [attest(validator, snapshot)]]
    const attested = { snapshot, set_hash, attestations, valid: true }
    expect(await posted.json()).toEqual(attested)
    expect(await bodyOf(client().get(path()))).toEqual(attested)

    const { committee } = (await find()) ?? {}
    const of = { project_id: project, epoch, seq: 9, set_hash }
    const { entries, weight_cap, beacon } = snapshot
    const {
      q: quorum,
      draws: _,
      weights: __,
      ...drawn
    } = drawCommittee(profile, {
      ...{ ...of, beacon: beacon.value, entries, weight_cap, committee: committee! },
      weight_unit_wei: defaultNetworkParams.weight_unit_wei,
    })
    const members = ['b_eff', 'committee_hash', 'draw', 'fallback', 'k_eff', 'seed']
    expect(Object.keys(drawn).sort()).toEqual(members)
    expect(await bodyOf(client().get(`${path()}/9`))).toEqual({ ...of, ...drawn, quorum })
  })

  test('425 also while the set is not built yet; 404 not_found for other epochs and projects', async () => {
    await emptyTables('committee_sets')
    expect(await errorAt(path())).toMatchObject({ status: 425 })
    for (const at of [
      `/v1/committees/${project}/${epoch - 1}`,
      `/v1/committees/${project}/${epoch + 1}/0`,
      `/v1/committees/${hashText('nobody')}/${epoch}`,
      `/v1/committees/${hashText('nobody')}/${epoch}/0`,
    ])
      expect(await errorAt(at)).toMatchObject({ status: 404, error: 'not_found' })
  })

  test('a project that is not public shows no set', async () => {
    await postAttestation()
    await setListing('pending_review')
    expect(await errorAt(path())).toMatchObject({ status: 404 })
  })

  test('a validator reads the snapshot in the form that is hashed', async () => {
    const response = await validator.call('GET', nodePath())
    expect(response.status).toBe(200)
    expect(hashText(await response.text())).toBe((await find())?.setHash)
  })

  test('404 not_found if the set does not exist, 403 forbidden if the caller is no validator', async () => {
    const other = `/v1/nodes/committee-sets/${project}/${epoch + 5}`
    const attestation = attest(validator, await readSet())
    await expectRefusal(validator.call('GET', other), '404 not_found')
    await expectRefusal(validator.call('POST', other, attestation), '404 not_found')
    await setValidators([createNode()])
    const refused = { status: 403, error: 'forbidden' }
    expect(await errorOf(validator.call('GET', nodePath()))).toMatchObject(refused)
    expect(await errorOf(validator.call('POST', nodePath(), attestation))).toMatchObject(refused)
  })

  test('422 invalid_evidence: an attestation with another key, of another set, or with another node id', async () => {
    const snapshot = await readSet()
    const stranger = createNode()
    for (const attestation of [
      attest(stranger, snapshot),
      attestSnapshot(profile, validator.key, hashText('another set')),
      { ...attest(validator, snapshot), node_id: stranger.nodeId },
    ]) {
      await expectRefusal(validator.call('POST', nodePath(), attestation), '422 invalid_evidence')
    }
    expect(await find()).toMatchObject({ attestedAt: null, attestations: [] })
  })

  test('keeps one of 50 parallel attestations of a validator', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, postAttestation))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await find())?.attestations).toHaveLength(1)
  })
})
