import { RpcUnreachable } from '../chain/json-rpc.ts'
import type { ChainSnapshot, RelayerChain } from './chain.ts'
import type { RelayLedger } from './ledger.ts'

/** How long a snapshot serves the decision whether to accept an action. */
const lifetimeMs = 1_000

export class Snapshots {
  readonly #chain: RelayerChain | null
  readonly #ledger: RelayLedger
  #latest: { snapshot: Promise<ChainSnapshot>; takenAtMs: number; committedWei: bigint } | null = null

  constructor(chain: RelayerChain | null, ledger: RelayLedger) {
    this.#chain = chain
    this.#ledger = ledger
  }

  recent(maxAgeMs = lifetimeMs): Promise<ChainSnapshot> {
    const isRecent = this.#latest && Date.now() - this.#latest.takenAtMs < maxAgeMs
    return isRecent && this.#latest ? this.#latest.snapshot : this.take()
  }

  /** @throws {@link RpcUnreachable} or {@link RpcError}. */
  take(): Promise<ChainSnapshot> {
    if (this.#chain === null) return Promise.reject(new RpcUnreachable('no chain is configured'))
    const taken = {
      snapshot: this.#chain.snapshot(),
      takenAtMs: Date.now(),
      committedWei: this.#ledger.committedWei(),
    }
    this.#latest = taken
    // A snapshot that failed is not reused.
    taken.snapshot.catch(() => {
      if (this.#latest === taken) this.#latest = null
    })
    return taken.snapshot
  }

  /** Whether the balance covers this beside everything accepted before; if so, it counts as spoken for. */
  commit({ balanceWei }: ChainSnapshot, costWei: bigint): boolean {
    const committedWei = (this.#latest?.committedWei ?? this.#ledger.committedWei()) + costWei
    if (balanceWei < committedWei) return false
    if (this.#latest) this.#latest.committedWei = committedWei
    return true
  }
}
