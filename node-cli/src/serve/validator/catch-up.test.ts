import { expect, test } from 'vitest'
import { quorum } from '../../../../protocol/committees/index.ts'
import { encodeCanonicalJson, hashText, utf8 } from '../../../../protocol/encoding/index.ts'
import { createFinalityVote, type FinalityRecord } from '../../../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { testParts } from '../../../../testing/node/node-parts.ts'
import { createTestProject, createTestRound, profile } from '../../../../testing/node/test-project.ts'
import { startTestHub, validatorSeeds } from '../../../../testing/node/validator-network.ts'
import { systemClock } from '../clock.ts'
import { hubClient } from '../hub/hub-client.ts'
import { hubSources } from '../hub/sources/index.ts'
import { sendJson, startLyingHub } from '../hub/testing/lying-hub.ts'
import { peersOf } from '../peers/peers.ts'
import { CatchUp } from './catch-up.ts'
import { NotYet } from './refusal.ts'
import { RoundBook } from './round-book.ts'
import { RoundVotes } from './round-votes.ts'
import { validatorError } from './validator-error.ts'

const project = createTestProject()
const { projectId, epoch } = project

/** The record of a round of an epoch, signed by `signers` validators. */
function signed(signers: number, change: Partial<FinalityRecord> = {}) {
  const { task, roundId } = createTestRound(project)
  const record: FinalityRecord = {
    v: 1,
    round_id: roundId,
    project_id: projectId,
    epoch,
    set_hash: task.set_hash,
    receipt_hash: hashText('receipt'),
    gas_used: 1,
    audited: false,
    voters: [],
    ...change,
  }
  const votes = validatorSeeds.slice(0, signers).map((seed) => createFinalityVote(profile, seed, record))
  return { record, votes }
}

/** A validator that has to catch up, with peers at these addresses. */
async function setUp(peerUrls: readonly string[] = []) {
  const hub = await startTestHub(project)
  const node = testParts(hashText('self'))
  const { store } = node
  store.senders.replace(
    validatorSeeds.map((seed, i) => ({
      publicKey: ed25519PublicKey(seed),
      role: 'validator',
      url: peerUrls[i] ?? null,
    })),
  )
  store.sets.keep(
    {
      setHash: project.setHash,
      projectId,
      epoch,
      epochSecs: project.snapshot.epoch_secs,
      snapshot: utf8(encodeCanonicalJson(project.snapshot)),
    },
    systemClock.now(),
  )
  const facts = hubSources(node, hubClient(new URL(hub.origin)), validatorError)
  const book = new RoundBook(node)
  const votes = new RoundVotes(node, facts, book)
  const catchUp = new CatchUp(node, facts, peersOf(node), votes, book)
  const finalIds = () =>
    store.rounds
      .finalPage({ projectId, epoch, after: 0, limit: 100 })
      .map(({ roundId }) => roundId)
      .toSorted()
  return { hub, store, votes, catchUp, finalIds }
}

const isFinal = quorum(validatorSeeds.length)
const itemOf = ({ record, votes }: ReturnType<typeof signed>) => ({
  round_id: record.round_id,
  finality: record,
  finality_votes: votes,
})

test('the rounds that a peer lists count as far as their votes verify, and the next read continues there', async () => {
  const [right, later] = [signed(isFinal), signed(isFinal)]
  const few = signed(isFinal - 1)
  const forged = signed(isFinal)
  const [stolen, ...others] = forged.votes
  const lies = { ...forged, votes: [{ ...stolen!, finality: { ...forged.record, gas_used: 2 } }, ...others] }
  const pages: Record<string, object> = {
    0: { items: [itemOf(right), itemOf(few), itemOf(lies), 7], next_cursor: '4', last_cursor: '5' },
    4: { items: [itemOf(later)], next_cursor: null, last_cursor: '5' },
    5: { items: [], next_cursor: null, last_cursor: '5' },
  }
  const { origin, requests } = await startLyingHub((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://peer').searchParams.get('cursor') ?? ''
    sendJson(response, pages[cursor] ?? { items: [], next_cursor: null, last_cursor: '5' })
  })
  const { catchUp, store, finalIds } = await setUp([`${origin}/behind/a/proxy/`])
  await catchUp.step()
  expect(finalIds()).toEqual([right, later].map(({ record }) => record.round_id).toSorted())
  for (const { record } of [few, forged]) expect(store.rounds.find(record.round_id)?.final).toBeNull()
  await catchUp.step()
  const cursors = requests.map(
    (call) => /^GET \/behind\/a\/proxy\/consensus\/rounds\?.*cursor=(\d+)$/.exec(call)?.[1],
  )
  expect(cursors.slice(0, 3)).toEqual(['0', '4', '5'])
})

test('a peer that started again is read from its beginning', async () => {
  const before = signed(isFinal)
  const after = signed(isFinal)
  let rounds = [signed(0), signed(0), before]
  const { origin } = await startLyingHub((request, response) => {
    const cursor = Number(new URL(request.url ?? '', 'http://peer').searchParams.get('cursor'))
    const items = rounds.slice(cursor).map(itemOf)
    sendJson(response, { items, next_cursor: null, last_cursor: String(rounds.length) })
  })
  const { catchUp, finalIds } = await setUp([origin])
  await catchUp.step()
  expect(finalIds()).toEqual([before.record.round_id])
  rounds = [after]
  await catchUp.step()
  await catchUp.step()
  expect(finalIds()).toEqual([before, after].map(({ record }) => record.round_id).toSorted())
})

test('peers that answer nothing useful, or never end, do not keep the node from other peers', async () => {
  const right = signed(isFinal)
  const broken = await startLyingHub((_, response) => sendJson(response, { items: 'none' }))
  const endless = await startLyingHub((request, response) => {
    const cursor = Number(new URL(request.url ?? '', 'http://peer').searchParams.get('cursor'))
    const next = String(cursor + 1)
    sendJson(response, { items: [itemOf(signed(1))], next_cursor: next, last_cursor: next })
  })
  const honest = await startLyingHub((_, response) =>
    sendJson(response, { items: [itemOf(right)], next_cursor: null, last_cursor: '1' }),
  )
  const { catchUp, finalIds } = await setUp([broken.origin, endless.origin, honest.origin])
  await catchUp.step()
  expect(finalIds()).toEqual([right.record.round_id])
  expect(endless.requests).toHaveLength(10)
})

test('further pages of an epoch are read only while they list further final rounds of it', async () => {
  const rounds = Array.from({ length: 4 }, () => signed(isFinal))
  const elsewhere = signed(isFinal, { epoch: epoch + 1 })
  const startPeer = (pageAt: (cursor: number) => object[], length = Number.POSITIVE_INFINITY) =>
    startLyingHub((request, response) => {
      const cursor = Number(new URL(request.url ?? '', 'http://peer').searchParams.get('cursor'))
      const next = String(cursor + 1)
      const isLast = cursor + 1 >= length
      sendJson(response, { items: pageAt(cursor), next_cursor: isLast ? null : next, last_cursor: next })
    })
  const honest = await startPeer((cursor) => [itemOf(rounds[cursor]!)], rounds.length)
  const forger = await startPeer(() => [itemOf(signed(1))])
  const repeater = await startPeer(() => [itemOf(rounds[0]!), itemOf(elsewhere)])
  const { catchUp, finalIds } = await setUp([honest.origin, forger.origin, repeater.origin])
  await catchUp.completeEpoch(projectId, epoch)
  expect(finalIds()).toEqual(rounds.map(({ record }) => record.round_id).toSorted())
  expect([honest, forger, repeater].map(({ requests }) => requests.length)).toEqual([4, 1, 2])
})

test('an epoch is completed with rounds that only the hub shows, as far as a quorum signed them', async () => {
  const { hub, store, catchUp, finalIds } = await setUp()
  const [first, second] = [signed(isFinal), signed(isFinal)]
  const few = signed(isFinal - 1)
  const later = signed(isFinal, { epoch: epoch + 1 })
  for (const { record, votes } of [first, second, few, later])
    hub.show(`/v1/explorer/rounds/${record.round_id}`, { state: 'finalized', finality_votes: votes })
  const start = epoch * project.snapshot.epoch_secs
  const item = ({ record }: typeof few) => ({
    ...{ round_id: record.round_id, epoch: record.epoch, created_at: start + 5 },
  })
  const older = { round_id: signed(0).record.round_id, epoch: epoch - 1, created_at: start - 1 }
  const pages = [
    { items: [item(later), item(first)], next_cursor: 'two' },
    { items: [item(few), item(second), older], next_cursor: 'three' },
  ]
  hub.answers.set('/v1/explorer/rounds', ({ url }, response) =>
    sendJson(response, pages[url?.includes('cursor=two') ? 1 : 0]),
  )

  await catchUp.completeEpoch(projectId, epoch)
  const ids = ({ record }: typeof few) => record.round_id
  expect(finalIds()).toEqual([first, second].map(ids).toSorted())
  expect(store.rounds.find(few.record.round_id)?.final).toBeNull()
  expect(hub.requests.filter((call) => call.includes(encodeURIComponent(later.record.round_id)))).toEqual([])
  expect(hub.requests.filter((call) => call.includes('cursor=three'))).toEqual([])
})

test('a key that tells of too many unknown rounds keeps out no vote of another key', async () => {
  const flood = signed(1)
  const [vote] = flood.votes
  const right = signed(isFinal)
  const { origin } = await startLyingHub((_, response) =>
    sendJson(response, { items: [itemOf(flood), itemOf(right)], next_cursor: null, last_cursor: '2' }),
  )
  const { catchUp, votes, store, finalIds } = await setUp([origin])
  store.db.prepare('INSERT INTO heard_totals VALUES (?, 100000)').run(vote!.public_key)
  await catchUp.step()
  expect(finalIds()).toEqual([right.record.round_id])
  await expect(votes.take(vote)).rejects.toThrow(NotYet)
  expect(store.rounds.find(flood.record.round_id)).toBeNull()
  expect(await votes.take(right.votes[0])).toMatchObject({ state: 'finalized' })
})

test('rounds of which a vote tells, and nothing else for two days, are forgotten with their votes', async () => {
  const { catchUp, store } = await setUp()
  const { record, votes } = signed(2)
  const keep = (ageSeconds: number) => {
    const at = systemClock.now() - ageSeconds
    store.rounds.hear({ roundId: record.round_id, projectId, epoch }, votes[0]!.public_key, at)
    for (const vote of votes) store.roundVotes.keep({ vote, subject: 'x' }, at)
  }
  const kept = () => [
    store.rounds.find(record.round_id)?.state,
    store.roundVotes.ofRound(record.round_id, 'finality').length,
  ]
  keep(2 * 86_400 - 600)
  await catchUp.step()
  expect(kept()).toEqual(['pending', 2])
  store.rounds.dropHeard(systemClock.now(), 1)
  keep(2 * 86_400 + 1)
  await catchUp.step()
  expect(kept()).toEqual([undefined, 0])
})

test('the last epoch before a version with longer epochs is completed, though later ones have smaller numbers', async () => {
  const { hub, catchUp, finalIds } = await setUp()
  const own = signed(isFinal)
  hub.show(`/v1/explorer/rounds/${own.record.round_id}`, { state: 'finalized', finality_votes: own.votes })
  const start = epoch * project.snapshot.epoch_secs
  const item = (of: number, createdAt: number, { record } = signed(0)) => ({
    ...{ round_id: record.round_id, epoch: of, created_at: createdAt },
  })
  const pages = [
    { items: [item(Math.floor(epoch / 24), start + 3_600)], next_cursor: '1' },
    { items: [item(epoch, start + 5, own)], next_cursor: '2' },
    // An earlier version may have had shorter epochs, with larger numbers.
    { items: [item(2 * epoch, start - 5)], next_cursor: '3' },
  ]
  hub.answers.set('/v1/explorer/rounds', ({ url }, response) =>
    sendJson(response, pages[Number(new URL(url ?? '', hub.origin).searchParams.get('cursor'))]),
  )
  await catchUp.completeEpoch(projectId, epoch)
  expect(finalIds()).toEqual([own.record.round_id])
  expect(hub.requests.filter((call) => call.includes('cursor=3'))).toEqual([])
})
