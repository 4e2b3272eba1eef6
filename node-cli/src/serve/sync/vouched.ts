import type { ListedModule } from './module-list.ts'

export interface PeerList<Peer> {
  readonly peer: Peer
  readonly modules: readonly ListedModule[]
}

/** A module whose state enough peers name alike. */
export interface VouchedModule<Peer> extends ListedModule {
  readonly peers: readonly Peer[]
}

export interface Vouched<Peer> {
  readonly modules: readonly VouchedModule<Peer>[]
  /** Modules that enough peers have, and not in one state. */
  readonly unsettled: readonly string[]
}

/** How many of the other validators must name a state: more than half, so that no two states can have as many. */
export const vouchersNeeded = (others: number): number => Math.floor(others / 2) + 1

/**
 * The modules for which enough peers list the same state. A module that fewer peers have does not belong to the network: an
 * operator may have stored it privately.
 */
export function vouchedModules<Peer>(lists: readonly PeerList<Peer>[], needed: number): Vouched<Peer> {
  const byAddress = new Map<string, Map<string, { listed: ListedModule; peers: Peer[] }>>()
  for (const { peer, modules } of lists)
    for (const listed of modules) {
      const states = byAddress.get(listed.address) ?? new Map()
      byAddress.set(listed.address, states)
      const key = `${listed.sequence}:${listed.state_root}`
      const state = states.get(key) ?? { listed, peers: [] }
      states.set(key, state)
      state.peers.push(peer)
    }
  const modules: VouchedModule<Peer>[] = []
  const unsettled: string[] = []
  for (const [address, states] of byAddress) {
    const found = [...states.values()].find(({ peers }) => peers.length >= needed)
    const holders = [...states.values()].reduce((sum, { peers }) => sum + peers.length, 0)
    if (found !== undefined) modules.push({ ...found.listed, peers: found.peers })
    else if (holders >= needed) unsettled.push(address)
  }
  return { modules, unsettled }
}
