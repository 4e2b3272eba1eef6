import { and, eq } from 'drizzle-orm'
import { type Database, query, read } from './database.ts'
import { beacons } from './schema.ts'

export interface BeaconBlock {
  number: number
  hash: string
}

/** The blocks of beacons, each kept once it is final. */
export class BeaconStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  async find(epochSecs: number, epoch: number): Promise<BeaconBlock | null> {
    const [row] = await read(() =>
      this.#db
        .select({ number: beacons.blockNumber, hash: beacons.blockHash })
        .from(beacons)
        .where(and(eq(beacons.epochSecs, epochSecs), eq(beacons.epoch, epoch))),
    )
    return row ?? null
  }

  /** Keeps the first that was found. */
  async keep(epochSecs: number, epoch: number, { number, hash }: BeaconBlock): Promise<void> {
    await query(
      this.#db
        .insert(beacons)
        .values({ epochSecs, epoch, blockNumber: number, blockHash: hash })
        .onConflictDoNothing(),
    )
  }
}
