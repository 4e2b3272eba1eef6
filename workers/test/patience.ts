import { vi } from 'vitest'

/** The time after which a wait fails, in ms. The runner's default is one second, which is too short on a busy machine. */
const timeout = 120_000

const { waitFor, waitUntil } = vi
vi.waitFor = (what, options) => waitFor(what, { timeout, ...(options as object) })
vi.waitUntil = (what, options) => waitUntil(what, { timeout, ...(options as object) })
