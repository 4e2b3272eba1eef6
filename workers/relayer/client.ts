import type { RelayerObject } from '../../durable-objects/relayer/object.ts'
import type { Env, Settings } from '../env.ts'
import { objectClient } from '../object-client.ts'
import { keyRing, type RelayKey } from './key-ring.ts'

const methods = ['accept', 'submit', 'relay', 'find', 'health', 'wake'] as const

/** The Durable Object of one key. Methods throw 503 `unavailable`. */
export interface RelayerClient extends Pick<RelayerObject, (typeof methods)[number]> {
  readonly signer: string
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

const createClient = (env: Env, { address, objectName }: RelayKey): RelayerClient => ({
  signer: address,
  ...objectClient<Pick<RelayerObject, (typeof methods)[number]>>(
    'The relayer',
    () => env.RELAYER.getByName(objectName),
    methods,
  ),
})

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
