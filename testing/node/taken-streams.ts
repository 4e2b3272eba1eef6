import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

type Take = (text: string) => void

/** Takes what is written to standard output, and to standard error. */
export interface Takes {
  readonly stdout: Take
  readonly stderr: Take
}

const taking = new AsyncLocalStorage<Takes>()
const { writeSync } = fs

/** Takes the bytes that the tool writes; other callers write as they always do. */
const takeOrWrite = (descriptor: number, bytes: unknown, ...place: never[]): number => {
  const takes = descriptor === 1 || descriptor === 2 ? taking.getStore() : undefined
  if (takes === undefined) return writeSync(descriptor, bytes as Uint8Array, ...place)
  const rest = (bytes as Uint8Array).subarray(place[0] ?? 0)
  takes[descriptor === 1 ? 'stdout' : 'stderr'](Buffer.from(rest).toString())
  return rest.length
}
fs.writeSync = takeOrWrite as typeof writeSync
syncBuiltinESMExports()

/** Runs a part of the tool in this process, and takes all that it writes, also later. */
export const withTakenStreams = <T>(takes: Takes, run: () => T): T => taking.run(takes, run)
