import { createQuery } from '@tanstack/svelte-query'
import { hub } from './hub.ts'

/** The descriptor of the hub, which every screen shares. */
export const networkQuery = () =>
  createQuery(() => ({
    queryKey: ['network'],
    queryFn: hub.descriptor,
    staleTime: 60_000,
    refetchInterval: 60_000,
  }))

/** Whether the hub runs on this machine, where accounts have public keys: as it says itself, and before that by its address. */
export const isLocal = (descriptor: { hosts: { api: string } } | undefined): boolean =>
  ['localhost', '127.0.0.1'].includes(new URL(descriptor?.hosts.api ?? location.origin).hostname)
