import { base64ToBytes } from '../../../../protocol/encoding/index.ts'
import type { OfferFrame } from '../../../../protocol/link/index.ts'
import type { ProjectRules } from '../../../../protocol/manifest/index.ts'
import { parseTask, roundDeadline, type Task, TaskError } from '../../../../protocol/rounds/index.ts'
import type { OwnSeat, SetHead } from '../background/attested-sets.ts'
import type { LoadedModule } from '../execution/module-library.ts'
import type { Uses } from '../part.ts'
import { VoteWithheld } from '../slashing-protection/votes.ts'
import { OfferRefused } from './offer-refused.ts'
import type { OfferSources } from './offer-sources.ts'

/** An offer that passed all checks, with the inputs of its run. */
export interface CheckedOffer {
  readonly module: LoadedModule
  readonly input: Uint8Array
  /** The payout address of the node's entry in the set, which its vote names. */
  readonly payoutAddress: string
  /** Network time after which a vote is of no use. */
  readonly voteBy: number
}

export type OfferCheckParts = Uses<'background' | 'clock' | 'params', 'votes'>

/**
 * Compares an offer with everything that a node can check by itself, before it accepts it: its times; its input; the set of
 * its epoch; the rules of the task; the node's own seat in the draw; whether a committee may run the module. Sets, rules and
 * modules from the hub are checked where they are fetched.
 *
 * @param hubTime The time by which the hub set its deadlines.
 * @throws {@link OfferRefused}
 */
export async function checkOffer(
  offer: OfferFrame,
  parts: OfferCheckParts,
  sources: OfferSources,
  hubTime: () => number,
): Promise<CheckedOffer> {
  const { task, accept_by } = offer
  checkIssued(task, parts)
  requireBefore(accept_by, hubTime(), 'it came too late to be accepted')
  checkVoteAllowed(task, parts)
  const { input_b64 } = offer
  const input = input_b64 === undefined ? await sources.input(offer.input_url) : base64ToBytes(input_b64)!
  if ((await parts.background.run('hashPayload', input)) !== task.input_hash)
    throw new OfferRefused('incompatible', 'the input has another hash than the task')
  const head = await sources.set(task)
  if (head.consensus_hash !== task.consensus_hash)
    throw new OfferRefused('incompatible', `the set is for the rules ${head.consensus_hash}`)
  const consensus = await sources.hub.rules(task.project_id, task.consensus_hash)
  checkTask(task, head, consensus)
  const deadline = roundDeadline(task, consensus.work.round_secs)
  const seat = checkSeat(await sources.seat(task, consensus), offer)
  const module = await moduleOf(task, sources)
  const voteBy = Math.min(offer.vote_by, deadline)
  requireBefore(voteBy, hubTime(), 'its round has closed')
  requireBefore(accept_by, hubTime(), 'there was no time left to accept it')
  return { module, input, payoutAddress: seat.entry.payout_address, voteBy }
}

function checkIssued({ issued_at }: Task, { clock, params }: OfferCheckParts): void {
  const ahead = issued_at - clock.now()
  if (ahead > params().max_skew)
    throw new OfferRefused('incompatible', `the task was issued ${ahead} s ahead of this node's clock`)
}

function requireBefore(time: number, now: number, problem: string): void {
  if (now >= time) throw new OfferRefused('busy', `${problem}, by ${now - time} s`)
}

function checkVoteAllowed(task: Task, { store }: OfferCheckParts): void {
  try {
    store.votes.checkAllowed(task.issued_at)
  } catch (error) {
    if (!(error instanceof VoteWithheld)) throw error
    throw new OfferRefused('incompatible', error.message)
  }
}

function checkTask(task: Task, { project_id, epoch, set_hash }: SetHead, consensus: ProjectRules): void {
  try {
    parseTask(task, { consensus, project_id, epoch, set_hash })
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    throw new OfferRefused('incompatible', error.message)
  }
}

function checkSeat(seat: OwnSeat | null, { position, role }: OfferFrame): OwnSeat {
  if (seat === null) throw new OfferRefused('incompatible', 'this node is not drawn for the task')
  if (seat.position !== position || seat.role !== role)
    throw new OfferRefused(
      'incompatible',
      `this node is drawn as ${seat.role} at position ${seat.position}, not as ${role} at ${position}`,
    )
  return seat
}

async function moduleOf(task: Task, sources: OfferSources): Promise<LoadedModule> {
  const module = await sources.hub.module(task.module_address)
  if (!module.functions.includes(task.function))
    throw new OfferRefused('incompatible', `the module does not export ${task.function}`)
  if (!module.stateless)
    throw new OfferRefused(
      'incompatible',
      'the module uses storage or calls others, so no committee may run it',
    )
  return module
}
