import type { NewestBlocks } from '../indexer/newest-blocks.ts'
import type { RelayLedger } from './ledger.ts'
import { isRpcFault, type Parts } from './parts.ts'
import type { Readings } from './readings.ts'

/** Passes over everything open, one at a time: what decides is the ledger and the chain, so one too many does no harm. */
export class Passes {
  readonly #parts: Parts
  readonly #ledger: RelayLedger
  readonly #readings: Readings
  /** The newest block that the last pass knew. */
  #last: { block: string | undefined; changes: number; atMs: number } = {
    block: undefined,
    changes: -1,
    atMs: 0,
  }
  #running: Promise<boolean> | null = null
  /** The newest block for which a caller had a pass made, also if it failed: callers cost the chain one for each block. */
  #calledFor: string | undefined

  constructor(parts: Parts, ledger: RelayLedger, readings: Readings) {
    this.#parts = parts
    this.#ledger = ledger
    this.#readings = readings
  }

  /** @returns Whether the chain lacks some actions that are final. */
  async ofAlarm(newest: NewestBlocks | null): Promise<boolean> {
    await this.#runningEnds()
    return this.#ledger.nextNonce() > 0 && !this.#hasPassed(newest) && (await this.#pass(newest))
  }

  /** Makes a pass if a block came since the last one: callers that read the index know what it did before the next alarm. */
  async ofCaller(): Promise<void> {
    const newest = await this.#parts.config.newest().catch(() => null)
    const block = newest?.blocks.at(-1)?.hash
    if (block === undefined) return
    await this.#runningEnds()
    // Another caller may be having one made for this block.
    if (block === this.#last.block || block === this.#calledFor) return this.#runningEnds()
    this.#calledFor = block
    await this.#pass(newest).catch((error) => {
      if (!isRpcFault(error)) console.error('a pass of the relayer failed', error)
    })
  }

  /** A pass that runs may have begun before a block. The one that began it hears how it failed. */
  async #runningEnds(): Promise<void> {
    await this.#running?.catch(() => {})
  }

  #pass(newest: NewestBlocks | null): Promise<boolean> {
    this.#running ??= this.#passOnce(newest).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #passOnce(newest: NewestBlocks | null): Promise<boolean> {
    const reading = await this.#readings.take()
    const dropped = await this.#parts.reconciler.reconcile(reading, Date.now())
    const block = newest?.blocks.at(-1)
    // Another node than that of the index may not have the block yet.
    const known = block !== undefined && block.number <= reading.head ? block.hash : undefined
    this.#last = { block: known, changes: this.#ledger.changes(), atMs: Date.now() }
    return dropped
  }

  /** Whether a pass was made after this block that another one would only repeat: nodes have all actions, and no block has come. */
  #hasPassed(newest: NewestBlocks | null): boolean {
    const { block, changes, atMs } = this.#last
    return (
      newest !== null &&
      newest.blocks.at(-1)?.hash === block &&
      this.#ledger.changes() === changes &&
      !this.#ledger.hasUnsent() &&
      Date.now() - atMs < this.#parts.config.stuckMs
    )
  }
}
