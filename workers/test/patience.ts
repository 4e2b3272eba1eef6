import { vi } from 'vitest'

/** What never comes fails after this; by itself the runner gives up after a second, which a busy machine takes for anything. */
const timeout = 30_000

const { waitFor, waitUntil } = vi
vi.waitFor = (what, options) => waitFor(what, { timeout, ...(options as object) })
vi.waitUntil = (what, options) => waitUntil(what, { timeout, ...(options as object) })
