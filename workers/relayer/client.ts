import type {
  RelayerHealth,
  RelayRequest,
  RelayResult,
  RelayView,
} from '../../durable-objects/relayer/object.ts'
import type { Env, Settings } from '../env.ts'
import { unavailable } from '../errors.ts'
import { keyRing, type RelayKey } from './key-ring.ts'

/** The Durable Object of one key. Methods throw 503 `unavailable`. */
export interface RelayerClient {
  readonly signer: string
  /** Accepts an action for the queue to have it submitted. */
  accept(request: RelayRequest): Promise<RelayResult>
  /** Submits what was accepted. */
  submit(ids: readonly string[]): Promise<void>
  /** Accepts an action and submits it at once. */
  relay(request: RelayRequest): Promise<RelayResult>
  find(id: string): Promise<RelayView | null>
  health(): Promise<RelayerHealth>
  wake(): Promise<void>
}

export interface RelayerClients {
  /** Null while the hub has no chain or no key. Knows what keys before it have relayed, too. */
  relayer: RelayerClient | null
  /** Of keys that were replaced: they accept nothing. */
  previousRelayers: readonly RelayerClient[]
  /** Null while the hub has no chain or is not the arbiter. The queue is not for it: `relay` submits at once. */
  arbiter: RelayerClient | null
}

export function createRelayerClients(env: Env, settings: Settings): RelayerClients {
  if (!settings.CHAIN_RPC_URL) return { relayer: null, previousRelayers: [], arbiter: null }
  const { relayer, previous, arbiter } = keyRing(settings)
  const previousRelayers = previous.map((key) => createClient(env, key))
  return {
    relayer: relayer && withPrevious(createClient(env, relayer), previousRelayers),
    previousRelayers,
    arbiter: arbiter && createClient(env, arbiter),
  }
}

function createClient(env: Env, { address, objectName }: RelayKey): RelayerClient {
  const object = () => env.RELAYER.getByName(objectName)
  const reach = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      throw unavailable('The relayer', error)
    }
  }
  return {
    signer: address,
    accept: (request) => reach<RelayResult>(object().accept(request) as Promise<RelayResult>),
    submit: (ids) => reach(object().submit(ids)),
    relay: (request) => reach<RelayResult>(object().relay(request) as Promise<RelayResult>),
    find: (id) => reach(object().find(id)),
    health: () => reach(object().health()),
    wake: () => reach(object().wake()),
  }
}

/** An action stays with the key that accepted it. */
function withPrevious(current: RelayerClient, previous: readonly RelayerClient[]): RelayerClient {
  return {
    ...current,
    async submit(ids) {
      await Promise.all([current, ...previous].map((client) => client.submit(ids)))
    },
    async find(id) {
      const found = await current.find(id)
      if (found !== null || previous.length === 0) return found
      const older = await Promise.all(previous.map((client) => client.find(id)))
      return older.find((view) => view !== null) ?? null
    },
  }
}
