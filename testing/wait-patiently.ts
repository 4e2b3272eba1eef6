import { vi } from 'vitest'
import { patienceMs } from './patience.ts'

// The runner's own limit is one second.
const { waitFor, waitUntil } = vi
vi.waitFor = (what, options) => waitFor(what, { timeout: patienceMs, ...(options as object) })
vi.waitUntil = (what, options) => waitUntil(what, { timeout: patienceMs, ...(options as object) })
