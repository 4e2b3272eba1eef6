import { statfsSync } from 'node:fs'
import { unavailable } from './http/api-error.ts'

const retrySeconds = 60

/**
 * Keeps what anybody can have the node store from the last of its disk: votes on rounds, records and sets need it.
 *
 * @throws {@link ApiError} 503 `unavailable` while less than the reserve is free.
 */
export function requireDiskReserve(folder: string, reserveBytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < reserveBytes)
    throw unavailable('The disk of this node has no room for direct rounds at the moment.', retrySeconds)
}
