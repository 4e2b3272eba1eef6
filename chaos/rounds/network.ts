import { freshAddress } from '../../testing/session.ts'
import type { Conduct } from '../harness/conduct.ts'
import { FaultCounts } from '../harness/figures.ts'
import { until } from '../harness/time.ts'
import { vaultCall } from '../network/contracts.ts'
import { type FaultyHubOptions, startFaultyHub } from '../network/faulty-hub.ts'
import { createProjects, grantWei, type Project, type ProjectsOptions } from '../network/projects.ts'
import { SimulatedMiner } from './simulator/miner.ts'
import { startValidators, type ValidatorsOptions } from './simulator/validators.ts'
import { startWire, type Wire } from './simulator/wire.ts'

export type RoundsNetwork = Awaited<ReturnType<typeof startRoundsNetwork>>

export interface RoundsOptions {
  readonly projects: number
  /** Offers that a device works on at once. */
  readonly slots: number
  readonly onProgress: (text: string) => void
  readonly front?: FaultyHubOptions['front']
  readonly platform?: FaultyHubOptions['platform']
  readonly inspectorPort?: number
  /** Whether the hub takes its time from the machine, as a deployment does; else time may leap. */
  readonly isTimeOfMachine?: boolean
  /** Keys that may become validators, beside those that are from the beginning. */
  readonly spareValidators?: number
  /** Seconds that the clock of a miner is ahead of the network's. */
  readonly skewOf?: (miner: number) => number
  readonly make?: ProjectsOptions
  /** The conduct of a member in a task; honest when left out. */
  readonly conductOf?: (input: string, position: number) => Conduct
  /** The answer of a validator about a task; honest when left out. */
  readonly modeOf?: ValidatorsOptions['modeOf']
}

const hour = 3_600
const confirmations = 1
const depthMax = 3
/** A block takes a second of the chain's time at least, and the time of the network should not run ahead of ours. */
const blockMs = 1_000
export const firstValidators = 4
/** Places that requests come from, each with a budget of its own. */
const callers = 20

/** Starts a hub in workerd, a chain, validators and miners of which every one may fail. */
export async function startRoundsNetwork(options: RoundsOptions) {
  const { onProgress, conductOf = () => 'honest', modeOf = () => 'honest', skewOf } = options
  const addresses = Array.from({ length: callers }, freshAddress)
  let calls = 0
  const started = await startFaultyHub({
    confirmations,
    depthMax,
    blockMs,
    ...(options.front && { front: options.front }),
    ...(options.platform && { platform: options.platform }),
    ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
    // The time until the sets are attested.
    ...(options.isTimeOfMachine && { behindSecs: 2 * hour }),
    vars: { CHAIN_BLOCK_SECS: '0.5' },
    address: () => addresses[calls++ % callers]!,
  })
  const { profile, port, chain, hub, pass, wake } = started
  const projects: Project[] = []
  const rulesOf = (projectId: string) => {
    const project = projects.find((one) => one.projectId === projectId)
    if (project === undefined) throw new Error(`the project ${projectId} is unknown`)
    return project.consensus.work.committee
  }
  const faults = new FaultCounts()
  const count = firstValidators + (options.spareValidators ?? 0)
  const validators = await startValidators(profile, { count, rulesOf, modeOf, now: hub.time, faults })

  await started.beginWith(validators.nodes.slice(0, firstValidators))
  // Validators that join later have no link: the hub calls them.
  validators.link(started.origin, firstValidators)
  projects.push(...(await createProjects(started, options.projects, options.make)))
  for (const { developer, vault } of projects)
    await chain.send(developer.address, [vaultCall(vault, 'fund', grantWei / 2n)])
  onProgress(`${projects.length} projects are made`)

  const members = projects.flatMap((project) => project.members)
  const owners = [...new Map(members.map((member) => [member.device.publicKey, member])).values()]
  const wires = await Promise.all(owners.map(() => startWire(port)))
  const miners = owners.map(
    ({ wallet, device }, index) =>
      new SimulatedMiner({
        wire: wires[index] as Wire,
        profile,
        seed: device.seed,
        publicKey: device.publicKey,
        payout: wallet.address,
        slots: options.slots,
        conductOf,
        now: hub.time,
        address: freshAddress(),
        faults,
        ...(skewOf && { skew: () => skewOf(index) }),
      }),
  )
  // The beacon of the second epoch from now on is after every bond.
  await pass(2 * hour)
  await wake()
  await Promise.all(miners.map((miner) => miner.start()))
  const epoch = Math.floor((await hub.time()) / hour)
  for (const { projectId } of projects)
    await until(`the set of ${projectId} is attested`, async () => {
      const { status } = await hub.call({ path: `/v1/committees/${projectId}/${epoch}` })
      return status === 200 || `${status}`
    })
  onProgress(`${miners.length} miners are connected, and the sets of epoch ${epoch} are attested`)

  return {
    ...started,
    projects,
    miners,
    validators,
    faults,
    async pass(seconds: number) {
      validators.leap()
      await pass(seconds)
      validators.leap()
    },
    async kill() {
      faults.note('hub_killed')
      await started.kill()
    },
    async stop() {
      await Promise.all(miners.map((miner) => miner.stop()))
      await Promise.all(wires.map((wire) => wire.stop()))
      await started.stop()
      await validators.stop()
    },
  }
}
