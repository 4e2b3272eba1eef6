import { and, eq, sql } from 'drizzle-orm'
import { Store } from './database.ts'
import { beacons, committeeSets, rounds } from './schema/index.ts'
import { isEpoch, isSameEpoch } from './statements.ts'

export interface BeaconBlock {
  number: number
  hash: string
}

/** The blocks of beacons, each kept once it is final. */
export class BeaconStore extends Store {
  async find(epochSecs: number, epoch: number): Promise<BeaconBlock | null> {
    const [row] = await this.db
      .select({ number: beacons.blockNumber, hash: beacons.blockHash })
      .from(beacons)
      .where(and(eq(beacons.epochSecs, epochSecs), eq(beacons.epoch, epoch)))
    return row ?? null
  }

  /** The hash of the block that the committee of a round was drawn with; null for a round without one. */
  async hashOfRound(roundId: string): Promise<string | null> {
    const [row] = await this.db
      .select({ hash: beacons.blockHash })
      .from(rounds)
      .crossJoin(committeeSets)
      .crossJoin(beacons)
      .where(
        sql`${rounds.roundId} = ${roundId} AND ${isSameEpoch(committeeSets, rounds)}
          AND ${beacons.epochSecs} = ${committeeSets.epochSecs} AND ${beacons.epoch} = ${committeeSets.epoch}`,
      )
    return row?.hash ?? null
  }

  /** The hash of the block that committees of an epoch are drawn with; null while the project has no set of it. */
  async hashOfEpoch(projectId: string, epoch: number): Promise<string | null> {
    const [row] = await this.db
      .select({ hash: beacons.blockHash })
      .from(committeeSets)
      .innerJoin(
        beacons,
        and(eq(beacons.epochSecs, committeeSets.epochSecs), eq(beacons.epoch, committeeSets.epoch)),
      )
      .where(isEpoch(committeeSets, projectId, epoch))
    return row?.hash ?? null
  }

  /** Keeps the first that was found. */
  async keep(epochSecs: number, epoch: number, { number, hash }: BeaconBlock): Promise<void> {
    await this.db
      .insert(beacons)
      .values({ epochSecs, epoch, blockNumber: number, blockHash: hash })
      .onConflictDoNothing()
  }
}
