import type { DirectOutcome } from '../../durable-objects/round/direct.ts'
import { deriveDirectRoundId } from '../../protocol/identity/index.ts'
import { randomNonce } from '../auth/random.ts'
import type { Services } from '../services.ts'
import {
  type SimulatedResult,
  type SimulatedTask,
  type Simulation,
  SimulationStore,
} from '../stores/simulations.ts'
import { inlineBytesMax } from './run-result.ts'

type Hub = Pick<Services, 'clock' | 'roundObjects' | 'store'>

/** The gas of a simulation's direct rounds, and the size of their results. */
export interface SimulationUse {
  gas: number
  bytes: number
}

/** Has all validators run each task of a simulation in a direct round, and stores what came of it. */
export async function simulate(
  { clock, roundObjects, store }: Hub,
  { simulationId, requests }: Pick<Simulation, 'simulationId' | 'requests'>,
): Promise<SimulationUse> {
  const tasks = JSON.parse(requests ?? '[]') as SimulatedTask[]
  const issuedAt = await clock.now()
  const outcomes = await Promise.all(tasks.map((task) => run(task, issuedAt, roundObjects)))
  const results = outcomes.flatMap((outcome) => resultOf(outcome) ?? [])
  const problems = outcomes.flatMap((outcome, index) => problemOf(outcome, index))
  const most = outcomes.reduce((votes, outcome) => Math.max(votes, outcome?.votes ?? 0), 0)
  const logs = [
    'loaded worker module',
    `ran ${tasks.length} task(s) on ${most} validators`,
    ...(problems.length === 0 ? ['all receipts agree'] : problems),
  ]
  const status = problems.length === 0 ? ('passed' as const) : ('failed' as const)
  await store(SimulationStore).end(simulationId, { status, results, logs }, await clock.now())
  return {
    gas: outcomes.reduce(
      (sum, outcome, index) => sum + (outcome?.result?.receipt.gas_used ?? tasks[index]?.gasLimit ?? 0),
      0,
    ),
    bytes: JSON.stringify(results).length,
  }
}

/** Takes up simulations whose process ended before they did. */
export async function resumeSimulations(hub: Hub): Promise<void> {
  const due = await hub.store(SimulationStore).claimDue(await hub.clock.now())
  for (const simulation of due)
    await simulate(hub, simulation).catch((error) =>
      console.error(`the simulation ${simulation.simulationId} could not be run`, error),
    )
}

/** Null if the hub could not ask. */
async function run(
  { module, function: name, input, inputHash, gasLimit }: SimulatedTask,
  issuedAt: number,
  roundObjects: Hub['roundObjects'],
): Promise<DirectOutcome | null> {
  const round = {
    ...{ module_address: module, function: name, input_hash: inputHash, gas_limit: gasLimit },
    ...{ issued_at: issuedAt, nonce: randomNonce() },
  }
  const roundId = deriveDirectRoundId(round)
  // Workers of projects have no storage, so that rounds of one simulation run side by side.
  return roundObjects(roundId)
    .execute({ roundId, round, input })
    .catch((error) => {
      console.error(`the round ${roundId} of a simulation could not be run`, error)
      return null
    })
}

function problemOf(outcome: DirectOutcome | null, index: number): string[] {
  const task = `task ${index + 1}`
  if (outcome === null) return [`${task}: the hub could not ask the validators; try again`]
  const { result, votes, quorum } = outcome
  if (result === null)
    return [`${task}: the validators did not agree: ${votes} answered, and ${quorum} must agree`]
  if (result.receipt.success) return []
  const { error } = result
  return [`${task}: the module did not run to its end${error === null ? '' : `: ${error}`}`]
}

function resultOf(outcome: DirectOutcome | null): SimulatedResult | null {
  if (!outcome?.result) return null
  const { roundId, votes, quorum } = outcome
  const { receipt, output, events, error } = outcome.result
  const isSmall = (text: string) => text.length <= inlineBytesMax
  return {
    ...{ roundId, receipt, votes, quorum, error },
    output: isSmall(output) ? output : null,
    events: isSmall(JSON.stringify(events)) ? events : null,
  }
}
