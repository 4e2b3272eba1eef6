import type { Snapshot } from '../../protocol/committees/index.ts'
import { hashedMembers, hashPayload } from '../../protocol/execution/index.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { hashConsensus } from '../../protocol/manifest/index.ts'
import {
  createFinalityRecord,
  createFinalityVote,
  createTaskVote,
  type FinalityRecord,
  finalRecord,
  parseTask,
  type Seat,
  type SeatedCommittee,
  type Task,
  type TaskVote,
  tallyVotes,
} from '../../protocol/rounds/index.ts'
import { print, printStep } from '../print.ts'
import { drawCommittee, type Work } from './committee.ts'
import { mapInParallel } from './in-parallel.ts'
import type { Device } from './miner.ts'
import { ensure, type MovableStage } from './stage.ts'

const functionName = 'sha256'
const gasLimit = 1_000_000

/** A task and its committee. */
export interface Round {
  readonly task: Task
  readonly input: string
  readonly seated: SeatedCommittee
}

/** Gives the first task of an epoch. */
export async function openRound(stage: MovableStage, work: Work, snapshot: Snapshot): Promise<Round> {
  const { network } = stage
  const { projectId: project_id, consensus } = work
  const seq = 0
  const seated = await drawCommittee(stage, work, snapshot, seq)
  const { set_hash } = seated
  const { epoch } = snapshot
  const input = `the first task of epoch ${epoch}`
  const task = {
    v: 1 as const,
    project_id,
    consensus_hash: hashConsensus(consensus),
    epoch,
    seq,
    set_hash,
    module_address: consensus.modules.worker,
    function: functionName,
    input_hash: hashPayload(new TextEncoder().encode(input)),
    gas_limit: gasLimit,
    issued_at: await network.now(),
  }
  print('·', `${functionName}("${input}") is the round ${deriveTaskRoundId(task)}`)
  return { task: parseTask(task, { consensus, project_id, epoch, set_hash }), input, seated }
}

/** Runs the task with nodectl, as the device does, and gives its vote. */
export async function voteOf(
  { network, nodectl }: MovableStage,
  { task, input, seated }: Round,
  { seed, publicKey, dataDir }: Device,
  module: string,
): Promise<TaskVote> {
  const args = ['--input', input, '--gas', String(gasLimit), '--data-dir', dataDir]
  const { receipt } = JSON.parse(await nodectl('run', module, functionName, ...args))
  const seat = seated.seats.find(({ node_key }) => node_key === publicKey) as Seat
  const { payout_address } = seat.entry
  const content = { task, receipt: hashedMembers(receipt.receipt), payout_address, position: seat.position }
  return createTaskVote(network.profile, seed, content)
}

/** A round from its task to the record that validators sign. */
export async function finishRound(
  stage: MovableStage,
  work: Work,
  snapshot: Snapshot,
  module: string,
): Promise<FinalityRecord> {
  printStep('A task: its committee runs it with nodectl, and the validators make the result final')
  const { profile } = stage.network
  const round = await openRound(stage, work, snapshot)
  const votes = await mapInParallel(work.devices, (device) => voteOf(stage, round, device, module))
  const tally = tallyVotes(profile, round.seated, round.task, votes)
  ensure(tally.clean, 'the committee agrees')
  const record = createFinalityRecord(round.task, tally, null)
  const finality = work.validators.map(({ seed }) => createFinalityVote(profile, seed, record))
  const keys = work.validators.map(({ publicKey }) => publicKey)
  const final = finalRecord(profile, finality, keys)
  ensure(final !== null, 'a quorum of the validators signs the result')
  print('=', `${tally.counted.length} equal votes for ${tally.hash}, ${final.gas_used} gas; final`)
  return final
}
