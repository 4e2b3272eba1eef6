import { createQuery } from '@tanstack/svelte-query'
import { createContext } from 'svelte'
import { type Descriptor, hub, origin } from './hub.ts'
import { keep, read } from './kept.ts'

const makeNetworkQuery = () =>
  createQuery(() => ({
    queryKey: ['network'],
    queryFn: hub.descriptor,
    staleTime: 60_000,
    refetchInterval: 60_000,
  }))

const [shared, share] = createContext<ReturnType<typeof makeNetworkQuery>>()

/** The descriptor of the hub, which every screen shares: the frame of the page asks for it. */
export const networkQuery = () => shared()

/** For what is drawn inside the component that calls it. */
export const shareNetworkQuery = () => share(makeNetworkQuery())

type Brand = Descriptor['brand']

/** Name, logo and accent that the operator gives the network; before the hub answers, those of the last visit. */
export function brandOf(descriptor: Descriptor | undefined): Brand {
  if (descriptor === undefined) return kept
  const { name, logo, accent } = descriptor.brand
  keep('brand', JSON.stringify({ name: name ?? descriptor.network, logo, accent }))
  return { name: name ?? descriptor.network, logo, accent }
}

const kept = readBrand()

function readBrand(): Brand {
  try {
    const { name, logo, accent } = JSON.parse(read('brand') ?? '{}')
    const text = (value: unknown) => (typeof value === 'string' ? value : null)
    return { name: text(name), logo: text(logo), accent: text(accent) }
  } catch {
    return { name: null, logo: null, accent: null }
  }
}

/** Whether the hub runs on this machine, where accounts have public keys: as it says itself, and before that by its address. */
export const isLocal = (descriptor: { hosts: { api: string } } | undefined): boolean =>
  ['localhost', '127.0.0.1'].includes(new URL(descriptor?.hosts.api ?? origin).hostname)
