import {
  findGenerationProblem,
  GenerationError,
  generationKeys,
  generationOfEpoch,
  hashSnapshot,
  isSnapshotAttested,
  parseSignedGeneration,
  type ValidatorGeneration,
} from '../../protocol/committees/index.ts'
import { base64ToBytes, hashBytes, isObject } from '../../protocol/encoding/index.ts'
import { createReceipt, type ExecutionEvent } from '../../protocol/execution/index.ts'

import { FrameError, type OfferFrame, parseHubFrame } from '../../protocol/link/index.ts'
import { checkManifestEnvelope, type ProjectRules } from '../../protocol/manifest/index.ts'
import { createTaskVote, isTask, parseTask, seatCommittee, TaskError } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import type { Findings } from '../findings.ts'
import type { Answer, HubUnderTest, NodeLink } from './client.ts'
import { noOffer, readyFrame } from './script.ts'

/** A run of a module, by whatever engine the kit was given. */
export interface Run {
  readonly success: boolean
  readonly output: Uint8Array
  readonly events: readonly ExecutionEvent[]
  readonly gas_used: number
}
export type RunTask = (artifact: Uint8Array, fn: string, input: Uint8Array, gasLimit: number) => Promise<Run>

const tasksMax = 20
const offerMs = 30_000
const finalMs = 120_000

const offerMembers = ['type', 'offer_id', 'lease_id', 'task', 'position', 'role', 'accept_by', 'vote_by']

/** Plays a device in the committees of a project. It submits tasks until one is offered to it. */
export async function playOffers(
  hub: HubUnderTest,
  findings: Findings,
  seed: string,
  project: string,
  run: RunTask,
): Promise<void> {
  const link = await openReady(hub, seed, [])
  if (link === null) return findings.note('H4.1', 'the hub did not open a socket for the device')
  const functions = (await hub.call('GET', `/v1/projects/${project}/manifest`)).json?.manifest?.consensus
    ?.work?.functions
  let offer: OfferFrame | null = null
  let taskPath = ''
  for (let tries = 0; offer === null && tries < tasksMax; tries++) {
    const body = { function: functions?.[0], input: { conformance: tries } }
    const { status, json, headers } = await hub.call('POST', `/v1/projects/${project}/tasks`, body)
    if (status >= 300)
      return findings.note('H4.1', `the hub answered a task with ${status} ${JSON.stringify(json)}`)
    taskPath = headers.get('location') ?? `/v1/tasks/${encodeURIComponent(json.task_id)}`
    offer = readOffer(findings, await nextOffer(hub, link, taskPath))
  }
  if (offer === null) return findings.note('H4.1', `the hub sent no offer for ${tasksMax} tasks`)
  const rules = await judgeRules(hub, findings, offer)
  const payout = await judgeSet(hub, findings, offer, rules, seed)
  const input =
    offer.input_b64 === undefined
      ? await hub.bytes(new URL(offer.input_url!).pathname + new URL(offer.input_url!).search)
      : base64ToBytes(offer.input_b64)!
  findings.require('H4.5', hashBytes(input) === offer.task.input_hash, 'the input does not match input_hash')

  const again = await judgeAgain(hub, findings, seed, offer)
  if (again === null) return
  again.send({ type: 'accept', offer_id: offer.offer_id })
  const artifact = await hub.bytes(`/v1/modules/${offer.task.module_address}/hbc`)
  const ran = await run(artifact, offer.task.function, input, offer.task.gas_limit)
  const receipt = createReceipt({
    ...ran,
    module_address: offer.task.module_address,
    function: offer.task.function,
    input,
  })
  const vote = createTaskVote(hub.profile, seed, {
    task: offer.task,
    receipt,
    payout_address: payout,
    position: offer.position,
  })
  const frame = {
    type: 'vote',
    offer_id: offer.offer_id,
    vote,
    output_b64: Buffer.from(ran.output).toString('base64'),
    events: ran.events,
  }
  again.send({ ...frame, vote: { ...vote, round_signature: vote.signature } })
  const refusal = await again.next(['error', 'voted'])
  const isRefused = refusal?.type === 'error' && refusal.offer_id === offer.offer_id
  findings.require(
    'H4.8',
    isRefused,
    `the hub answered a vote with a wrong signature with ${JSON.stringify(refusal)}`,
  )
  for (const which of ['the vote', 'the repeated vote']) {
    again.send(frame)
    const voted = await again.next(['error', 'voted'])
    const holds = voted?.type === 'voted' && voted.offer_id === offer.offer_id
    findings.require('H4.7', holds, `the hub answered ${which} with ${JSON.stringify(voted)}`)
  }
  const end = Date.now() + finalMs
  let task: Answer = null
  do task = (await hub.call('GET', `${taskPath}?wait=25`)).json
  while (!['finalized', 'failed'].includes(task?.status) && Date.now() < end)
  const isFinal = task?.status === 'finalized' && task.receipt_hash === vote.receipt_hash
  findings.require(
    'H4.9',
    isFinal,
    `the task is ${task?.status} with the receipt_hash ${task?.receipt_hash}, expected ${vote.receipt_hash}`,
  )
  again.close()
}

async function openReady(
  hub: HubUnderTest,
  seed: string,
  holding: readonly string[],
): Promise<NodeLink | null> {
  const { link } = await hub.connect(seed)
  await link?.next(['hello'])
  link?.send(readyFrame(holding))
  return link
}

/** The offer of a task to this device; null when it is not among those who are asked. */
async function nextOffer(hub: HubUnderTest, link: NodeLink, taskPath: string): Promise<Answer> {
  const end = Date.now() + offerMs
  while (Date.now() < end) {
    const offer = await link.next(['offer'], 1_000)
    if (offer !== null) return offer
    const { json } = await hub.call('GET', taskPath)
    if (['committee_agreed', 'finalized', 'failed'].includes(json?.status)) return null
  }
  return null
}

function readOffer(findings: Findings, offer: Answer): OfferFrame | null {
  if (offer === null) return null
  try {
    const frame = parseHubFrame(JSON.stringify(offer), limits) as OfferFrame
    const unknown = Object.keys(offer).filter(
      (name) => !offerMembers.includes(name) && !/^input_(b64|url)$/.test(name),
    )
    findings.require('H4.1', unknown.length === 0 && isTask(offer.task), `the offer has ${unknown.join()}`)
    return frame
  } catch (error) {
    if (!(error instanceof FrameError)) throw error
    findings.note('H4.1', error.message)
    return null
  }
}
const limits = { relay_max_control_bytes: 65_536, relay_max_frame_bytes: 2_097_152 }

async function judgeRules(
  hub: HubUnderTest,
  findings: Findings,
  { task }: OfferFrame,
): Promise<ProjectRules | null> {
  const { json: envelope } = await hub.call('GET', `/v1/projects/${task.project_id}/manifest`)
  if (!isObject(envelope?.manifest)) {
    findings.note('H4.2', 'the hub did not return the manifest')
    return null
  }
  const check = checkManifestEnvelope(hub.profile, envelope)
  const isSigned =
    check.ok && check.project_id === task.project_id && check.consensus_hash === task.consensus_hash
  const { consensus } = envelope.manifest as { consensus: ProjectRules }
  try {
    parseTask(task, { consensus, project_id: task.project_id, epoch: task.epoch, set_hash: task.set_hash })
    findings.require(
      'H4.2',
      isSigned,
      'the manifest belongs to another project, or its developer did not sign it',
    )
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    findings.note('H4.2', error.message)
  }
  return consensus
}

/** @returns The payout address of the device. */
async function judgeSet(
  hub: HubUnderTest,
  findings: Findings,
  { task, position, role }: OfferFrame,
  rules: ProjectRules | null,
  seed: string,
): Promise<string> {
  const { json: shown } = await hub.call('GET', `/v1/committees/${task.project_id}/${task.epoch}`)
  const { json: params } = await hub.call('GET', '/v1/network/params')
  if (!isObject(shown?.snapshot) || rules === null) {
    findings.note('H4.3', 'the hub did not return the set or the project rules')
    return ''
  }
  const chain = await readGenerations(hub, findings)
  const generation = generationOfEpoch(chain, task.epoch, rules.work.epoch_secs, params.params)
  const keys = generation === null ? [] : generationKeys(generation)
  const isOfTask = hashSnapshot(shown.snapshot) === task.set_hash && shown.set_hash === task.set_hash
  const isAttested = isSnapshotAttested(hub.profile, task.set_hash, shown.attestations, keys)
  findings.require(
    'H4.3',
    isOfTask && isAttested,
    'the set does not match set_hash, or no quorum attested it',
  )
  const own = ed25519PublicKey(seed)
  const seating = { committee: rules.work.committee, params: params.params }
  const seat = seatCommittee(hub.profile, shown.snapshot, task.seq, seating).seats.find(
    ({ node_key }) => node_key === own,
  )
  const fits = seat?.position === position && seat.role === role
  findings.require(
    'H4.4',
    fits,
    `the offer has the role ${role} at position ${position}, expected ${seat?.role} at ${seat?.position}`,
  )
  return seat?.entry.payout_address ?? ''
}

const pagesMax = 100

/** All generations from the first on, up to the first that does not extend those before it. */
async function readGenerations(hub: HubUnderTest, findings: Findings): Promise<ValidatorGeneration[]> {
  const { json: descriptor } = await hub.call('GET', '/')
  const shown: unknown[] = []
  let cursor: string | null = ''
  for (let pages = 0; cursor !== null && pages < pagesMax; pages++) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { json } = await hub.call('GET', `/v1/validators/generations?limit=200${query}`)
    shown.push(...(Array.isArray(json?.items) ? json.items : []))
    cursor = json?.next_cursor ?? null
  }
  const chain: ValidatorGeneration[] = []
  try {
    const signed = shown
      .map((one) => parseSignedGeneration(hub.profile, one))
      .toSorted((a, b) => a.document.generation - b.document.generation)
    for (const one of signed) {
      const key = String(descriptor?.coordinator?.public_key)
      const problem = findGenerationProblem(hub.profile, chain.at(-1) ?? null, one, key)
      if (problem !== null) {
        findings.note('H4.3', `generation ${one.document.generation}: ${problem}`)
        break
      }
      chain.push(one.document)
    }
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error
    findings.note('H4.3', error.message)
  }
  return chain
}

/** Comes back without the offer, and then with it. @returns The last link. */
async function judgeAgain(
  hub: HubUnderTest,
  findings: Findings,
  seed: string,
  offer: OfferFrame,
): Promise<NodeLink | null> {
  const without = await openReady(hub, seed, [])
  const sent = await without?.next(['offer'])
  findings.require(
    'H4.6',
    sent?.offer_id === offer.offer_id,
    'the hub did not send an offer again that holding of ready does not list',
  )
  const holding = await openReady(hub, seed, [offer.offer_id])
  // Frames are read in their order, so an offer would come before the error.
  holding?.send({ type: 'accept', offer_id: noOffer })
  const next = await holding?.next(['offer', 'error'])
  findings.require('H4.6', next?.type === 'error', 'the hub sent an offer again that holding of ready lists')
  return holding
}
