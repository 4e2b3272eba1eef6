import { backoffSeconds, repeat, waitUnreferenced } from '../hub/repeat.ts'
import type { Part, Uses } from '../part.ts'
import { type PeerClient, PeerError } from '../peers/peer-client.ts'
import { type PeersParts, peersOf } from '../peers/peers.ts'
import { readModuleList } from './module-list.ts'
import type { ModuleStates } from './module-states.ts'
import { takeArtifact, takeState } from './take-module.ts'
import { type PeerList, type VouchedModule, vouchedModules, vouchersNeeded } from './vouched.ts'

/** A root of a large store may have to be computed first. */
const listSeconds = 30
/** The node learns of a new generation with the next heartbeat at the earliest. */
const waitingSeconds = 1

type StateSyncParts = PeersParts &
  Uses<'isSyncing' | 'library' | 'log' | 'metrics' | 'status', 'senders' | 'syncedState'> & {
    readonly states: ModuleStates
  }

/** Why nothing more can be taken for the moment. */
class SyncProblem extends Error {
  override readonly name = 'SyncProblem'
}

/**
 * Takes modules and their storage from the other validators, once in the life of a data directory, until both equal what
 * more than half of them have. Executions wait for its end.
 */
export function stateSyncPart(parts: StateSyncParts): Part {
  const { store, log, status, metrics, isSyncing } = parts
  const stopping = new AbortController()
  const sync = new StateSync(parts, stopping.signal)
  let running: Promise<void> = Promise.resolve()
  status.set('state_sync', () => ({ state: isSyncing() ? 'under_way' : 'complete', problem: sync.problem }))
  metrics.gauge('state_sync_complete', 'Whether modules and storage are taken', () => Number(!isSyncing()))
  return {
    start: () => {
      if (!isSyncing()) return
      if (store.syncedState.progress() === null && store.syncedState.hasStorage()) {
        log.warn('this data directory has storage of its own, so the node takes no storage from peers', {})
        store.syncedState.complete()
        return
      }
      store.syncedState.begin()
      const over = new AbortController()
      const turn = async (): Promise<number> => {
        const seconds = await sync.turn()
        if (seconds === null) over.abort()
        return seconds ?? 0
      }
      running = repeat(turn, AbortSignal.any([stopping.signal, over.signal]), waitUnreferenced)
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

class StateSync {
  readonly #parts: StateSyncParts
  readonly #stop: AbortSignal
  readonly #peers
  /** How often a peer was asked in vain; those that were are asked last. */
  readonly #faults = new Map<string, number>()
  #failures = 0
  /** Why it does not go on at the moment. */
  problem: string | null = null

  constructor(parts: StateSyncParts, stop: AbortSignal) {
    this.#parts = parts
    this.#stop = stop
    this.#peers = peersOf(parts, stop)
  }

  /** @returns The seconds to wait for the next turn; null when nothing is left to take. */
  async turn(): Promise<number | null> {
    if (!this.#peers.isValidator()) {
      this.#tell('this node is not in a generation of validators that is in force or still to come')
      return waitingSeconds
    }
    try {
      const taken = await this.#takeAll()
      this.#failures = 0
      this.problem = null
      if (taken > 0) return 0
      this.#parts.store.syncedState.complete()
      this.#parts.log.info('modules and storage equal those of the other validators')
      return null
    } catch (error) {
      if (this.#stop.aborted) return 0
      this.#failures += 1
      if (error instanceof SyncProblem) this.#tell(error.message)
      else this.#parts.log.error('state sync failed', { reason: (error as Error).stack })
      return backoffSeconds(this.#failures - 1, Math.random())
    }
  }

  /** Takes what differs. @returns How many modules did. @throws {@link SyncProblem} */
  async #takeAll(): Promise<number> {
    const { publicKey } = this.#parts.identity
    const others = this.#peers.validators().filter((key) => key !== publicKey).length
    if (others === 0) return 0
    const needed = vouchersNeeded(others)
    const lists = await this.#readLists()
    if (lists.length < needed)
      throw new SyncProblem(`${lists.length} of ${others} validators list their modules, and ${needed} must`)
    const { modules, unsettled } = vouchedModules(lists, needed)
    let taken = 0
    for (const module of modules) taken += Number(await this.#takeModule(module))
    if (unsettled.length > 0)
      throw new SyncProblem(`the validators have different storage of ${unsettled[0]}`)
    return taken
  }

  async #readLists(): Promise<PeerList<PeerClient>[]> {
    const lists: PeerList<PeerClient>[] = []
    for (const peer of this.#inOrder(this.#peers.others(this.#peers.validators())))
      await this.#orBlame(peer, async () => {
        const read = (target: string) => peer.read({ target, timeoutSeconds: listSeconds })
        lists.push({ peer, modules: await readModuleList(read) })
      })
    return lists
  }

  /** @returns Whether it was not here in this state. @throws {@link SyncProblem} */
  async #takeModule(module: VouchedModule<PeerClient>): Promise<boolean> {
    const { library, states, store, profile } = this.#parts
    const { address, sequence, state_root, peers } = module
    const isHere = (await library.findWhole(address)) !== null
    if (!isHere) await this.#fromAny(peers, address, (peer) => takeArtifact(peer, library, address))
    const own = await states.root(address)
    if (own.sequence === sequence && own.root === state_root) return !isHere
    await this.#fromAny(peers, address, (peer) => takeState(peer, profile, store.syncedState, module))
    this.#parts.log.info('the storage of a module was taken', { module: address, sequence, state_root })
    return true
  }

  /** Asks one peer after the other. @throws {@link SyncProblem} when none could give it. */
  async #fromAny(
    peers: readonly PeerClient[],
    address: string,
    take: (peer: PeerClient) => Promise<void>,
  ): Promise<void> {
    for (const peer of this.#inOrder(peers)) if (await this.#orBlame(peer, () => take(peer))) return
    throw new SyncProblem(`no validator sends the module ${address}`)
  }

  async #orBlame(peer: PeerClient, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof PeerError)) throw error
      if (this.#stop.aborted) throw new SyncProblem('the node stops')
      this.#faults.set(peer.publicKey, (this.#faults.get(peer.publicKey) ?? 0) + 1)
      this.#parts.log.warn('a validator does not send its state', {
        peer: peer.publicKey,
        reason: error.message,
      })
      return false
    }
  }

  #inOrder(peers: readonly PeerClient[]): PeerClient[] {
    const faultsOf = ({ publicKey }: PeerClient) => this.#faults.get(publicKey) ?? 0
    return [...peers].sort((a, b) => faultsOf(a) - faultsOf(b))
  }

  #tell(problem: string): void {
    if (problem !== this.problem) this.#parts.log.warn('state sync waits', { reason: problem })
    this.problem = problem
  }
}
