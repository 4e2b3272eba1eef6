import { evmAddress } from '../../protocol/signatures/index.ts'
import type { Settings } from '../env.ts'

export interface RelayKey {
  privateKey: string
  address: string
  /** Its Durable Object on the chain of this hub: nothing else signs with the key. */
  objectName: string
}

export interface KeyRing {
  /** Relays what owners signed and what the hub itself wants on the chain; null if nothing is relayed. */
  relayer: RelayKey | null
  /** Keys that relayed before: they bring to an end what they have begun, and begin nothing. */
  previous: readonly RelayKey[]
  /** Acts as the arbiter of the contracts; null if a person does. */
  arbiter: RelayKey | null
}

type KeySettings = Pick<
  Settings,
  'PROFILE' | 'RELAYER_PRIVATE_KEY' | 'RELAYER_PREVIOUS_KEYS' | 'ARBITER_PRIVATE_KEY'
>

const rings = new WeakMap<KeySettings, KeyRing>()

export function keyRing(settings: KeySettings): KeyRing {
  const known = rings.get(settings)
  if (known) return known
  const keyOf = (privateKey: string): RelayKey => {
    const address = evmAddress(privateKey)
    return { privateKey, address, objectName: `${settings.PROFILE.chain_id}:${address}` }
  }
  const optional = (privateKey: string | undefined) => (privateKey === undefined ? null : keyOf(privateKey))
  const ring = {
    relayer: optional(settings.RELAYER_PRIVATE_KEY),
    previous: settings.RELAYER_PREVIOUS_KEYS.map(keyOf),
    arbiter: optional(settings.ARBITER_PRIVATE_KEY),
  }
  rings.set(settings, ring)
  return ring
}

/** The key whose object has this id; null for the object of a key, or of a chain, that is not configured. */
export function keyOfObject(
  { relayer, previous, arbiter }: KeyRing,
  namespace: Pick<DurableObjectNamespace, 'idFromName'>,
  id: DurableObjectId,
): RelayKey | null {
  const keys = [relayer, arbiter, ...previous].filter((key) => key !== null)
  return keys.find(({ objectName }) => namespace.idFromName(objectName).equals(id)) ?? null
}
