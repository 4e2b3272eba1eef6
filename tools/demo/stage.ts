import { CommandError } from '../../scripts/command/errors.ts'
import type { Network } from '../../scripts/hub/network.ts'
import { print, utc } from '../print.ts'
import type { Cluster } from './cluster.ts'

/** A project with devices that work for it. */
export interface Stage {
  readonly cluster: Cluster
  readonly network: Network
  readonly projectId: string
  /** Length of an epoch of the project. */
  readonly epochSecs: number
  /** Node ids of the devices that keep the rules. */
  readonly honest: readonly string[]
  /** Node ids of the devices that break a rule. */
  readonly liar: string
  readonly doubleVoter: string
}

/** Lets time pass in the network until then, and prints it. */
export async function passUntil({ cluster, network }: Stage, time: number): Promise<void> {
  const from = await network.now()
  if (time > from) await cluster.network.passTime(time - from)
  print('»', `network time ${utc(from)} → ${utc(await network.now())}`)
}

/** Ends the demo with an error if something is not as the demo says. */
export function ensure(holds: boolean, expected: string): asserts holds {
  if (!holds) throw new CommandError(`The demo expects that ${expected}, but this is false.`)
}
