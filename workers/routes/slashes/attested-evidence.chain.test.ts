import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import type { FinalityVote, Task } from '../../../protocol/rounds/index.ts'
import { type Evidence, hashEvidence } from '../../../protocol/slashing/index.ts'
import {
  attestSet,
  buildSets,
  createMembers,
  type Member,
  requireSet,
  seatedOf,
} from '../../test/attested-set.ts'
import {
  createMiner,
  createNode,
  createOwner,
  deviceRecord,
  networkNow,
  type TestNode,
} from '../../test/callers.ts'
import { client, expectAnswer, expectRefusal, freshAddress, statusesOf } from '../../test/client.ts'
import { accusationsOf, createValidators, insertSubscription } from '../../test/evidence.ts'
import { publishRound } from '../../test/final-rounds.ts'
import { readStored } from '../../test/stored.ts'
import { minCollateral } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'
import { setValidators } from '../../test/validators.ts'

type Json = Record<string, unknown>

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
const epoch = Math.floor(Date.now() / 3_600_000) + 2
const chain = new FakeChain()
const forged = `0x${'11'.repeat(64)}`

let validators: TestNode[]
let former: TestNode[]
let members: Member[]
let others: Member[]
let unattested: Member[]

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime((epoch * 3_600 + 1_000) * 1_000)
  validators = await createValidators(4)
  former = await createValidators(4)
  // Five primaries and two backups are drawn from eight.
  members = await createMembers(8)
  others = await createMembers(3)
  unattested = await createMembers(3)
  await buildSets([...members, ...others, ...unattested], epoch)
  await setValidators(validators)
  await attestSet(first(members).projectId, epoch, validators.slice(1))
  await attestSet(first(others).projectId, epoch, validators.slice(1))
  await attestSet(first(unattested).projectId, epoch, validators.slice(2))
})
beforeEach(() => {
  chain.install()
  chain.received.length = 0
})

const first = <T>([one]: readonly T[]): T => {
  if (one === undefined) throw new Error('the list is empty')
  return one
}

/** A task of the attested set, with the members that are drawn for it and those that are not. */
async function createRound(of = members, change: Partial<Task> = {}) {
  const { projectId } = first(of)
  const { setHash } = await requireSet(projectId, epoch)
  const task = accusationsOf(first(of)).createTask({ set_hash: setHash, ...change })
  const seats = (await seatedOf(task)).seats
  const drawn = (role: string) =>
    seats.filter((seat) => seat.role === role).map(({ node_key }) => memberOf(of, node_key))
  const isDrawn = ({ device }: Member) => seats.some(({ node_key }) => node_key === device.publicKey)
  return {
    task,
    primaries: drawn('primary'),
    backups: drawn('backup'),
    undrawn: of.filter((member) => !isDrawn(member)),
  }
}

const byKey = (nodes: readonly TestNode[]): TestNode[] =>
  nodes.toSorted((a, b) => (a.publicKey < b.publicKey ? -1 : 1))

const memberOf = (of: readonly Member[], key: string): Member =>
  first(of.filter(({ device }) => device.publicKey === key))

const votersOf = (voters: readonly Member[]) =>
  voters
    .map(({ device, owner }) => ({ public_key: device.publicKey, payout_address: owner.address }))
    .sort((a, b) => (a.public_key < b.public_key ? -1 : 1))

interface Change {
  by?: readonly TestNode[]
  record?: object
  /** Changes the list after it was signed. */
  list?: (votes: FinalityVote[]) => unknown
}

/** The finality votes that validators signed about a task. */
const finalityOf = (task: Task, member: Member, { by = validators, record = {}, list }: Change) => {
  const { finality, record: recordOf } = accusationsOf(member)
  const votes = finality(by, recordOf(task, 'right', record))
  return list ? list(votes) : votes
}

/** Two votes of a primary for one task. */
async function equivocation(outputs: readonly [string, string] = ['one', 'two']): Promise<Evidence> {
  const { task, primaries } = await createRound()
  return accusationsOf(first(primaries)).equivocation(task, outputs)
}

/** A vote of a primary against the record of an audited round. */
async function invalidResult(change: Change & { vote?: (vote: Json) => unknown } = {}): Promise<Evidence> {
  const { task, primaries } = await createRound()
  const accused = first(primaries)
  const { vote, evidence } = accusationsOf(accused)
  const wrong = vote(task, 'wrong') as unknown as Json
  return evidence('invalid_result', task, {
    vote: change.vote ? change.vote(wrong) : wrong,
    finality: finalityOf(task, accused, {
      ...change,
      record: { voters: votersOf(primaries.slice(1)), ...change.record },
    }),
  })
}

type Round = Awaited<ReturnType<typeof createRound>>

/** The hub's record of a round in which every member was asked, and none of them voted. */
const knowRound = ({ task, primaries }: Round) =>
  publishRound({ members: primaries, deeds: [], validators, issuedAt: task.issued_at, audit: 'right', task })

interface MissedVote extends Change {
  of?: Member[]
  task?: Partial<Task>
  accused?: (round: Round) => Member
  voters?: (round: Round) => Member[]
}

/** The record of a round in which all primaries voted but the accused, who is the first of them. */
async function missedVote({ of, task: change, ...given }: MissedVote = {}): Promise<Evidence> {
  const round = await createRound(of, change)
  await knowRound(round)
  const accused = given.accused ? given.accused(round) : first(round.primaries)
  const voters = given.voters ? given.voters(round) : round.primaries.filter((one) => one !== accused)
  const record = { audited: false, voters: votersOf(voters), ...given.record }
  return accusationsOf(accused).evidence('missed_sla', round.task, {
    task: round.task,
    finality: finalityOf(round.task, accused, { ...given, record }),
  })
}

const post = (evidence: unknown) => client().post('/v1/slashes', evidence)

describe('evidence with a set that the hub built and validators attested', () => {
  test.each([
    ['equivocation', equivocation, 10_000],
    ['invalid_result', invalidResult, 2_500],
    ['missed_sla', missedVote, 120],
  ] as const)('%s is recorded, and proposed', async (kind, make, bp) => {
    const evidence = await make()
    await expectAnswer(post(evidence), 201, {
      evidence_hash: hashEvidence(evidence),
      kind,
      bp,
      amount: String((minCollateral * BigInt(bp)) / 10_000n),
      status: 'recorded',
    })
    expect(chain.received).toHaveLength(1)
    expect((await post(evidence)).status).toBe(200)
    expect(chain.received).toHaveLength(1)
  })

  test('of fifty concurrent proofs of one missed vote, one is recorded and proposed', async () => {
    const round = await createRound()
    await knowRound(round)
    const { task, primaries } = round
    const accused = first(primaries)
    // Any three of four validators are a quorum, and the records that they sign may differ.
    const proofs = Array.from({ length: 50 }, (_, i) => {
      const by = i % 5 === 4 ? validators : validators.filter((_, index) => index !== i % 5)
      const record = { audited: i % 2 === 0, gas_used: i, voters: votersOf(primaries.slice(1)) }
      return accusationsOf(accused).evidence('missed_sla', task, {
        task,
        finality: finalityOf(task, accused, { by, record }),
      })
    })
    expect(new Set(proofs.map(hashEvidence)).size).toBe(50)
    const before = await readStored()
    const answers = await Promise.all(proofs.map(post))
    expect(await statusesOf(answers)).toEqual([...Array(49).fill(200), 201])
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Json[]
    expect(new Set(bodies.map(({ evidence_hash }) => evidence_hash)).size).toBe(1)
    const after = await readStored()
    const added = (table: string) => (after[table] as unknown[]).length - (before[table] as unknown[]).length
    expect([added('slashes'), added('hub_actions')]).toEqual([1, 1])
    expect(chain.received).toHaveLength(1)
  })
})

test('the set, which may be large, is read only after all other checks', async () => {
  let reads = 0
  const get = (key: string) => {
    reads += 1
    return env.MODULES.get(key)
  }
  const counting = client({ bindings: { MODULES: { ...env.MODULES, get } as unknown as R2Bucket } })
  const evidence = await missedVote({ list: ([vote, ...rest]) => [{ ...vote, signature: forged }, ...rest] })
  expect((await counting.post('/v1/slashes', evidence)).status).toBe(422)
  expect(reads).toBe(0)
  expect((await counting.post('/v1/slashes', await missedVote())).status).toBe(201)
  expect(reads).toBe(1)
})

test('429 rate_limited: a missed vote with a large set counts as a draw; other evidence does not', async () => {
  const { projectId } = first(members)
  const { entries } = await requireSet(projectId, epoch)
  const resize = (to: number) =>
    runSql('UPDATE committee_sets SET entries = ? WHERE project_id = ?', to, projectId)
  await resize(1_001)
  const caller = client({ address: freshAddress() })
  for (let draws = 0; draws < 60; draws++) await caller.get(`/v1/committees/${projectId}/${epoch}/${draws}`)
  await expectRefusal(caller.post('/v1/slashes', await missedVote()), '429 rate_limited')
  for (const evidence of [await equivocation(), await invalidResult()])
    expect((await caller.post('/v1/slashes', evidence)).status).toBe(201)
  await resize(entries)
})

/** Beside what the known answers have. */
describe('false evidence is 422 with the rule, and nothing is stored', () => {
  /** For each case, the rule in the error and a function that makes the evidence. */
  const cases: Record<string, readonly [rule: string, make: () => Promise<unknown>]> = {
    'one bad signature among many': [
      'a signature does not verify',
      () => invalidResult({ list: ([a, b, ...rest]) => [a, { ...b, signature: forged }, ...rest] }),
    ],
    'one bad signature over the round': [
      'a signature does not verify',
      () =>
        missedVote({
          list: (votes) => [...votes.slice(0, -1), { ...votes.at(-1), round_signature: forged }],
        }),
    ],
    'more votes than validators': [
      'repeated votes',
      () => invalidResult({ list: (votes) => [...votes, votes[0]] }),
    ],
    'one former validator in a quorum': [
      'not a current validator',
      () => missedVote({ by: byKey([...validators.slice(2), first(former)]) }),
    ],
    'a record of another epoch': [
      'the record is of another round',
      () => invalidResult({ record: { epoch: epoch - 1 } }),
    ],
    'a record of another project': [
      'the record is of another round',
      () => missedVote({ record: { project_id: first(others).projectId } }),
    ],
    'a vote with another result than it signed': [
      'receipt_hash is not the hash of the receipt',
      () => invalidResult({ vote: (vote) => ({ ...vote, receipt_hash: forged.slice(0, 66) }) }),
    ],
    'one vote twice': [
      'both votes agree',
      async () => {
        const evidence = await equivocation()
        return { ...evidence, proof: { first: evidence.proof.first, second: evidence.proof.first } }
      },
    ],
    'vote and record swapped': [
      'no quorum',
      async () => {
        const evidence = await invalidResult()
        const { vote, finality } = evidence.proof
        return { ...evidence, proof: { vote: finality, finality: vote } }
      },
    ],
    'two votes with their signatures swapped': [
      'a signature does not verify',
      async () => {
        const evidence = await equivocation()
        const [one, two] = [evidence.proof.first, evidence.proof.second] as [Json, Json]
        return {
          ...evidence,
          proof: {
            first: { ...one, signature: two.signature, round_signature: two.round_signature },
            second: { ...two, signature: one.signature, round_signature: one.round_signature },
          },
        }
      },
    ],
    'votes of a key that is not bound': [
      'not that of the key',
      async () => {
        const { task } = await createRound()
        const stranger = createNode()
        const { evidence, vote } = accusationsOf(first(members))
        const votes = { first: vote(task, 'one', stranger), second: vote(task, 'two', stranger) }
        return evidence('equivocation', task, votes, { node_key: stranger.publicKey })
      },
    ],
    'votes of a key that is bound but not subscribed': [
      'not that of the key',
      async () => {
        const { task } = await createRound()
        return accusationsOf({ ...first(members), device: bystander }).equivocation(task)
      },
    ],
    'a task of the set of another project': [
      'the set is not known',
      async () => {
        const { setHash } = await requireSet(first(others).projectId, epoch)
        return missedVote({ task: { set_hash: setHash } })
      },
    ],
    'a set that no quorum attested': ['the set is not known', () => missedVote({ of: unattested })],
    'another project': [
      'not that of the key',
      async () => ({ ...(await missedVote()), ...idsOf(first(others)) }),
    ],
    'an epoch that is over': [
      'not that of the key',
      async () => ({ ...(await equivocation()), epoch: epoch - 1 }),
    ],
  }

  let bystander: TestNode
  beforeAll(async () => {
    bystander = (await createMiner()).device
  })
  const idsOf = ({ projectId, consensusHash }: Member) => ({
    project_id: projectId,
    consensus_hash: consensusHash,
  })

  async function expectRefused(evidence: unknown, rule: string): Promise<void> {
    const before = await readStored()
    await expectRefusal(post(evidence), '422 invalid_evidence', { message: expect.stringContaining(rule) })
    expect(await readStored()).toEqual(before)
    expect(chain.received).toEqual([])
    expect((await client().get(`/v1/slashes/${hashEvidence(evidence as Evidence)}`)).status).toBe(404)
  }

  test.each(Object.entries(cases))('%s', async (_, [rule, make]) => {
    await expectRefused(await make(), rule)
  })

  // The first vote is forged: a check of signatures before the length would report the forgery.
  test.each([
    ['invalid_result', invalidResult],
    ['missed_sla', missedVote],
  ] as const)(
    'ten thousand votes: %s is refused for their number before any signature is verified',
    async (_, make) => {
      const many = (votes: FinalityVote[]) => [{ ...votes[0], signature: forged }, ...Array(9_999).fill(0)]
      await expectRefused(await make({ list: many }), 'repeated votes')
    },
  )

  test('ten thousand votes of real length: 413 before they are parsed', async () => {
    const evidence = await missedVote({ list: ([vote]) => Array(10_000).fill(vote) })
    const before = await readStored()
    await expectRefusal(post(evidence), '413 too_large')
    expect(await readStored()).toEqual(before)
  })
})

test('a device that changed its owner is slashed in the subscription with which it was seated', async () => {
  const { task, primaries } = await createRound(others)
  const seated = first(primaries)
  const { device, owner, projectId } = seated
  const buyer = await createOwner()
  const pass = (action: 'bind' | 'unbind', by: typeof buyer, issued_at: number) =>
    client().post(`/v1/devices/${action}`, deviceRecord(by, device, { action, issued_at }))
  const now = await networkNow()
  expect((await pass('unbind', owner, now)).status).toBe(200)
  expect((await pass('bind', buyer, now + 1)).status).toBe(200)
  const subscriptionId = deriveSubscriptionId(projectId, buyer.address, device.publicKey)
  await insertSubscription({
    subscriptionId,
    projectId,
    owner: buyer.address,
    nodeId: device.nodeId,
    nodeKey: device.publicKey,
  })
  const bought = accusationsOf({ ...seated, subscriptionId }).equivocation(task)
  await expectRefusal(post(bought), '422 invalid_evidence', {
    message: expect.stringContaining(
      `was seated in this epoch with the subscription ${seated.subscriptionId}`,
    ),
  })
  expect((await post(accusationsOf(seated).equivocation(task))).status).toBe(201)
})
