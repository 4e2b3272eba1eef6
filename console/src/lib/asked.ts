import { building } from '$app/env'

/** What the address of a screen asks for. A screen that is drawn while the console is built has no address yet. */
export const asked = (url: URL): URLSearchParams => (building ? new URLSearchParams() : url.searchParams)
