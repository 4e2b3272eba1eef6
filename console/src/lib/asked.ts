import { building } from '$app/env'

export interface Address {
  readonly searchParams: Pick<URLSearchParams, 'get'>
}

/** The query parameters in the address of a screen; empty during the build, when a screen has no address yet. */
export const asked = (url: Address): Address['searchParams'] =>
  building ? new URLSearchParams() : url.searchParams
