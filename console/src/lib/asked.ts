import { building } from '$app/env'

export interface Address {
  readonly searchParams: Pick<URLSearchParams, 'get'>
}

/** What the address of a screen asks for. A screen that is drawn while the console is built has no address yet. */
export const asked = (url: Address): Address['searchParams'] =>
  building ? new URLSearchParams() : url.searchParams
