import { type Figures, sumFaults } from '../harness/figures.ts'
import type { NetworkOptions, ScenarioKind, ScenarioNetwork } from '../harness/kind.ts'
import { type CheckedNetwork, type Counts, noCounts } from './check.ts'
import { EpochLedger } from './epochs.ts'
import { startRoundsNetwork } from './network.ts'
import { committees, minerCount, planTurn, spareValidators, type TurnPlan } from './plan.ts'
import { collateral, planOf, runTurn, slots } from './turn.ts'
import { ValidatorGroup } from './validator-group.ts'

/** Tasks at once, all of them under the faults of one turn. */
const tasksPerTurn = 25

/** Submits tasks to a hub, miners and validators that fail. A scenario is a task. */
export const rounds: ScenarioKind = {
  atOnce: tasksPerTurn,
  // Checks become slow with many rounds, and collateral with many slashes small.
  perNetwork: 20 * tasksPerTurn,
  networksAtOnce: 1,
  start,
}

async function start({ say }: NetworkOptions): Promise<ScenarioNetwork> {
  let skews: TurnPlan['skews'] = { miners: [], validators: [] }
  const started = await startRoundsNetwork({
    spareValidators,
    skewOf: (miner) => skews.miners[miner] ?? 0,
    projects: committees.length,
    make: { members: minerCount, collateral, committees },
    slots,
    conductOf: (input, position) => planOf(input).members.get(position) ?? 'honest',
    modeOf: (input, validator, times) => {
      const modes = planOf(input).validators[validator] ?? []
      return modes[Math.min(times, modes.length - 1)] ?? 'honest'
    },
    onProgress: say,
  })
  const group = new ValidatorGroup(started)
  const network: CheckedNetwork = { ...started, group, ledger: new EpochLedger(started, group), givenAtMs: 0 }
  await group.settle().catch(async (error: unknown) => {
    await network.stop()
    throw error
  })
  let counts: Counts = noCounts
  const figures = (): Figures => ({ ...counts, faults: faultsOf(network) })
  return {
    async runTurn(seeds) {
      skews = planTurn(seeds[0]!).skews
      network.validators.setSkews(skews.validators)
      counts = await runTurn(network, seeds, counts)
      say(
        `seed ${seeds.at(-1)}: ${counts.finalized} final, ${counts.by_committee} of them by their committee; failed: ${JSON.stringify(counts.failed)}`,
      )
      return figures()
    },
    async finish() {
      await network.ledger.finish()
      return figures()
    },
    stop: network.stop,
  }
}

const faultsOf = ({ faults, faulty, proxy }: CheckedNetwork): Figures =>
  sumFaults(
    faults.counts,
    faulty.faults,
    new Map([...proxy.faults].map(([name, count]) => [`chain: ${name}`, count])),
  )
