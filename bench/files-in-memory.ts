import { existsSync, statfsSync } from 'node:fs'

const folder = '/dev/shm'
const bytesMin = 2 ** 30

/**
 * Has this process, and those that it starts, keep their files in memory where Linux offers that. The objects, databases and
 * buckets of a deployment are not on the machine that runs the hub: what a file system takes of the processor here says
 * nothing about the hub.
 *
 * @returns Whether it does; otherwise files are on disk.
 */
export function keepFilesInMemory(): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < bytesMin) return false
  process.env.TMPDIR = folder
  return true
}
