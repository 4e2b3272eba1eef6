import { CommandError } from '../../scripts/command/errors.ts'
import type { Network } from '../../sdk/network.ts'
import { print, utc } from '../print.ts'
import type { Nodectl } from './nodectl.ts'

/** What every part of the demo works with. */
export interface Stage {
  /** Prints each call. */
  readonly network: Network
  /** The same network, for calls that are not printed. */
  readonly quiet: Network
  readonly nodectl: Nodectl
  /** A folder for the files of this run. */
  readonly scratch: string
  /** Null where others use the network too. */
  readonly passTime: PassTime | null
  /** Has something done when the demo ends, or is stopped before. */
  readonly onStop: (end: () => Promise<unknown>) => void
}

/** Lets so many seconds pass in the network. */
export type PassTime = (seconds: number) => Promise<unknown>

/** A network whose time may be moved. */
export type MovableStage = Stage & { readonly passTime: PassTime }

export const isMovable = (stage: Stage): stage is MovableStage => stage.passTime !== null

/** Lets time pass until then, and prints it. */
export async function passUntil({ network, passTime }: MovableStage, time: number): Promise<void> {
  const from = await network.now()
  if (time > from) await passTime(time - from)
  print('»', `network time ${utc(from)} → ${utc(await network.now())}`)
}

/** Ends the demo with an error unless something is as the demo says. */
export function ensure(holds: boolean, what: string): asserts holds {
  if (!holds) throw new CommandError(`The demo expects that ${what}, and that is not so.`)
}
