import type { IncomingMessage } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import { expect } from 'vitest'
import { sendJson } from '../../node-cli/src/serve/hub/testing/lying-hub.ts'
import { openServeStore } from '../../node-cli/src/serve/store/index.ts'
import type { Judgement } from '../../node-cli/src/serve/store/rounds.ts'
import {
  attemptStart,
  countEpochAttestations,
  type EpochReceipt,
  leaderOrder,
} from '../../protocol/earnings/index.ts'
import { defaultNetworkParams, profileStrings } from '../../protocol/identity/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import vectors from '../../protocol/vectors/receipt-v2.json' with { type: 'json' }
import { keepFinal, keepRules, knownEpoch, recordsOf } from './final-rounds.ts'
import { unixNow } from './hub-answers.ts'
import type { Reply, ServingNode } from './serving-node.ts'
import { profile } from './test-project.ts'
import {
  addValidator,
  callSigned,
  patience,
  startTestHub,
  type TestHub,
  type TestValidator,
  untilPeers,
} from './validator-network.ts'

/** The epoch of these networks, and the records of its rounds. */
export const known = knownEpoch('per_unit')
export const records = recordsOf(known)
/** Its receipt, as one proposes it. */
export const { attestations: _, ...proposal } = (
  vectors.cases[0]!.output as unknown as { receipt: EpochReceipt }
).receipt
export const postPath = '/v1/nodes/epoch-receipts'
export const firstAttempt = attemptStart(
  known.epoch,
  known.consensus.work.epoch_secs,
  0,
  defaultNetworkParams,
)

export interface Posted {
  readonly by: string
  readonly receipt: EpochReceipt
}

export interface EpochNetwork extends TestHub {
  /** In the order in which they lead. */
  readonly validators: readonly TestValidator[]
  readonly posted: Posted[]
  /** The answer of the hub to a receipt. */
  answer: { status: number; body: object }
  /** The number of open rounds in the hub's answer; undefined leaves it out. */
  openRounds: number | undefined
  /** Has every node see a time of the network. */
  readonly setTime: (time: number) => void
}

interface EpochNetworkOptions {
  /** How many records each validator holds, by its place among the leaders; all if left out. */
  readonly held?: (index: number) => number
  /** A round that all of them judged, which is not final. */
  readonly judged?: string
  /** A round of which all of them only heard from another. */
  readonly heard?: string
  /** The URL at which others find the validator that is added first. */
  readonly firstUrl?: (own: string) => Promise<string>
}

/** A hub whose time is that of the first attempt, and four validators with the final rounds they hold. */
export async function startEpochNetwork({
  held = () => records.length,
  judged,
  heard,
  firstUrl,
}: EpochNetworkOptions = {}): Promise<EpochNetwork> {
  const hub = await startTestHub()
  const added = [await addValidator(hub, firstUrl)]
  while (added.length < 4) added.push(await addValidator(hub))
  const keys = added.map(({ publicKey }) => publicKey)
  const validators = leaderOrder(keys, known.projectId, known.epoch).map(
    (key) => added.find(({ publicKey }) => publicKey === key)!,
  )
  for (const [i, { dataDir }] of validators.entries()) {
    const store = openServeStore(dataDir)
    keepRules(store, known)
    keepFinal(store, records.slice(0, held(i)), hub.seeds, firstAttempt)
    const task = { project_id: known.projectId, epoch: known.epoch } as Task
    if (judged !== undefined)
      store.rounds.judge({ roundId: judged, task, judgement: {} as Judgement }, 'escalated', firstAttempt)
    if (heard !== undefined)
      store.rounds.see({ roundId: heard, projectId: known.projectId, epoch: known.epoch }, firstAttempt)
    store.close()
  }
  const posted: Posted[] = []
  const network: EpochNetwork = Object.assign(hub, {
    validators,
    posted,
    answer: { status: 202, body: { status: 'queued' } },
    openRounds: undefined,
    setTime: (time: number) => {
      hub.aheadSeconds = time - unixNow()
    },
  })
  network.setTime(firstAttempt + 2)
  hub.answers.set(postPath, async (request, response) => {
    expect(request.method).toBe('POST')
    const receipt = (await readJson(request)) as EpochReceipt
    if (network.isAway) return void response.destroy()
    posted.push({ by: keyOf(request), receipt })
    sendJson(response, network.answer.body, network.answer.status)
  })
  hub.answers.set(`/v1/explorer/epochs/${known.projectId}/${known.epoch}`, (_, response) =>
    sendJson(
      response,
      posted.length > 0 ? { status: 'attested' } : { status: 'closed', open_rounds: network.openRounds },
    ),
  )
  return network
}

const keyOf = ({ headers }: IncomingMessage): string =>
  String(headers[profileStrings(profile).public_key_header.toLowerCase()])

/** Of nodes that see the time of the network. */
export const flags = ['--clock', 'hub']

/** Starts validators, the first leader only when the others take the calls of all. */
export async function startAll(validators: readonly TestValidator[], count = 4): Promise<ServingNode[]> {
  const [leader, ...others] = validators
  const nodes = await Promise.all(others.map((one) => one.start(flags)))
  for (const node of nodes) await untilPeers(node, count)
  return [await leader!.start(flags), ...nodes]
}

export async function firstPosted({ posted }: EpochNetwork): Promise<Posted> {
  await expect.poll(() => posted.length, patience).toBeGreaterThan(0)
  return posted[0]!
}

export const untilEpochs = (node: ServingNode, expected: object): Promise<void> =>
  expect.poll(async () => (await node.call('/status')).json.epochs, patience).toMatchObject(expected)

export const settled = (node: ServingNode): Promise<void> => untilEpochs(node, { open: 0, settled: 1 })

/** How many of the validators that are listed attested a receipt. */
export const attested = (receipt: EpochReceipt, { list }: TestHub): number =>
  countEpochAttestations(
    profile,
    receipt,
    list.map(({ publicKey }) => publicKey),
  )

/** Proposes a receipt to a node, as another validator. */
export const propose = (
  { aheadSeconds }: TestHub,
  { seed }: TestValidator,
  node: ServingNode,
  body: object,
): Promise<Reply> =>
  callSigned(node, '/consensus/reward-proposals', body, { seed, now: unixNow() + aheadSeconds })
