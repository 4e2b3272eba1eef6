import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFinalityVote, type FinalityRecord, quorum } from '../../../../protocol/consensus/index.ts'
import { hashText } from '../../../../protocol/encoding/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { temporaryFolder } from '../../../testing/nodectl.ts'
import { createTestProject, createTestRound, params, profile } from '../../../testing/test-project.ts'
import { startTestHub, validatorSeeds } from '../../../testing/validator-network.ts'
import { BackgroundThread } from '../background/background-thread.ts'
import { systemClock } from '../clock.ts'
import { hubClient } from '../hub/hub-client.ts'
import { createLog } from '../log.ts'
import type { ServeNode } from '../node.ts'
import { openServeStore } from '../store/index.ts'
import { CatchUp } from './catch-up.ts'
import { hubFacts } from './hub-facts.ts'
import { peerClient } from './peer-client.ts'
import { RoundBook } from './round-book.ts'
import { RoundVotes } from './round-votes.ts'

const project = createTestProject()
const { projectId, epoch } = project

/** The record of a round of an epoch, that so many validators signed. */
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

test('an epoch is completed with what only the hub shows, as far as a quorum signed it', async () => {
  const hub = await startTestHub(project)
  const store = openServeStore(path.join(temporaryFolder(), 'node'))
  const background = new BackgroundThread()
  onTestFinished(async () => {
    await background.close()
    store.close()
  })
  store.senders.replace(
    validatorSeeds.map((seed) => ({ publicKey: ed25519PublicKey(seed), role: 'validator', url: null })),
  )
  const node = {
    store,
    background,
    profile,
    params: () => params,
    clock: systemClock,
    log: createLog('json', 'error'),
    identity: { nodeId: 'node', publicKey: hashText('self') },
  } as unknown as ServeNode
  const facts = hubFacts(node, hubClient(new URL(hub.origin)))
  const book = new RoundBook(node)
  const peers = peerClient(() => ({}), new AbortController().signal)
  const catchUp = new CatchUp(node, facts, peers, new RoundVotes(node, facts, book), book)

  const isFinal = quorum(validatorSeeds.length)
  const [first, second] = [signed(isFinal), signed(isFinal)]
  const few = signed(isFinal - 1)
  const later = signed(isFinal, { epoch: epoch + 1 })
  for (const { record, votes } of [first, second, few, later])
    hub.show(`/v1/explorer/rounds/${record.round_id}`, { finality_votes: votes })
  const item = ({ record }: typeof few) => ({ round_id: record.round_id, epoch: record.epoch })
  const older = { round_id: signed(0).record.round_id, epoch: epoch - 1 }
  const pages = [
    { items: [item(later), item(first)], next_cursor: 'two' },
    { items: [item(few), item(second), older], next_cursor: 'three' },
  ]
  hub.answer('/v1/explorer/rounds', ({ url }, response) => {
    const page = url?.includes('cursor=two') ? pages[1] : pages[0]
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(page))
  })

  await catchUp.completeEpoch(projectId, epoch)
  const ids = ({ record }: typeof few) => record.round_id
  expect(store.rounds.finalRecords(projectId, epoch).map((record) => record.round_id)).toEqual(
    [first, second].map(ids).toSorted(),
  )
  expect(store.rounds.find(few.record.round_id)?.final).toBeNull()
  expect(hub.requests.filter((call) => call.includes(encodeURIComponent(later.record.round_id)))).toEqual([])
  expect(hub.requests.filter((call) => call.includes('cursor=three'))).toEqual([])
})
