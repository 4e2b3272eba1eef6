/** Actions that were signed here and may not be over. Their ids are not secret. A tab that was closed shows them again. */
import { keep, readJson } from '../kept.ts'

export interface Pending {
  /** Id of the transaction at the hub. */
  readonly id: string
  readonly title: string
  /** The wallet that signed. */
  readonly address: string
  /** Milliseconds. */
  readonly signedMs: number
}

const storeName = 'pending-actions'
const most = 20

const isPending = (one: unknown): one is Pending => {
  const { id, title, address, signedMs } = (one ?? {}) as Record<string, unknown>
  return [id, title, address].every((text) => typeof text === 'string') && typeof signedMs === 'number'
}

class PendingActions {
  /** The newest first. */
  all = $state<readonly Pending[]>(readKept())

  /** The actions of one wallet: other wallets that use this browser do not see them. */
  of(address: string | undefined): readonly Pending[] {
    return this.all.filter((one) => one.address === address)
  }

  add(one: Pending): void {
    // Another tab may have added some.
    this.#keep([one, ...readKept().filter(({ id }) => id !== one.id)].slice(0, most))
  }

  remove(id: string): void {
    this.#keep(readKept().filter((one) => one.id !== id))
  }

  #keep(all: readonly Pending[]): void {
    this.all = all
    keep(storeName, JSON.stringify(all))
  }
}

function readKept(): readonly Pending[] {
  const kept = readJson(storeName)
  return Array.isArray(kept) ? kept.filter(isPending).slice(0, most) : []
}

export const pending = new PendingActions()
