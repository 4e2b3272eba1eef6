import { RpcUnreachable } from '../chain/json-rpc.ts'
import type { ChainReading, RelayerChain } from './chain.ts'
import type { RelayLedger } from './ledger.ts'

/** How long a reading serves the decision whether to accept an action. */
const lifetimeMs = 1_000

export class Readings {
  readonly #chain: RelayerChain | null
  readonly #ledger: RelayLedger
  #latest: { reading: Promise<ChainReading>; takenAtMs: number; committedWei: bigint } | null = null

  constructor(chain: RelayerChain | null, ledger: RelayLedger) {
    this.#chain = chain
    this.#ledger = ledger
  }

  recent(maxAgeMs = lifetimeMs): Promise<ChainReading> {
    const isRecent = this.#latest && Date.now() - this.#latest.takenAtMs < maxAgeMs
    return isRecent && this.#latest ? this.#latest.reading : this.take()
  }

  /** @throws {@link RpcUnreachable} or {@link RpcError}. */
  take(): Promise<ChainReading> {
    if (this.#chain === null) return Promise.reject(new RpcUnreachable('no chain is configured'))
    const taken = {
      reading: this.#chain.read(),
      takenAtMs: Date.now(),
      committedWei: this.#ledger.committedWei(),
    }
    this.#latest = taken
    // A reading that failed is not reused.
    taken.reading.catch(() => {
      if (this.#latest === taken) this.#latest = null
    })
    return taken.reading
  }

  /** Whether the balance covers this beside everything accepted before; if so, it counts as spoken for. */
  commit({ balanceWei }: ChainReading, costWei: bigint): boolean {
    const committedWei = (this.#latest?.committedWei ?? this.#ledger.committedWei()) + costWei
    if (balanceWei < committedWei) return false
    if (this.#latest) this.#latest.committedWei = committedWei
    return true
  }
}
