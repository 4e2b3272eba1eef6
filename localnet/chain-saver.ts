import { renameSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Anvil } from '../contracts/anvil.ts'

const pollMs = 200
/** All of the chain is written each time, megabytes after some days; this bounds what that wears of a disk. */
const bytesPerMs = 250
const waitMsMax = 60_000

/**
 * Writes a chain down soon after each of its blocks, so that one that is killed has forgotten as little as possible. The
 * file is replaced at once: whoever is killed in between leaves the one before.
 *
 * @param note told when it cannot be written, once until it can again.
 * @returns Ends it, after what is being written.
 */
export function saveChain(
  { rpc, ended }: Anvil,
  file: string,
  note: (text: string) => void,
): () => Promise<void> {
  let stopped = false
  let saved: string | null = null
  let notBefore = 0
  let failed = false
  let wake = () => {}
  const stop = () => {
    stopped = true
    wake()
  }

  const saveNews = async () => {
    const head = await rpc<string>('eth_blockNumber')
    if (head === saved || Date.now() < notBefore) return
    const state = gunzipSync(Buffer.from((await rpc<string>('anvil_dumpState')).slice(2), 'hex'))
    // Accounts of one block beside the blocks of another would make a chain that never was.
    if ((await rpc<string>('eth_blockNumber')) !== head) return
    writeFileSync(`${file}.new`, state)
    renameSync(`${file}.new`, file)
    saved = head
    notBefore = Date.now() + Math.min(waitMsMax, state.length / bytesPerMs)
  }

  const loop = async () => {
    while (!stopped) {
      try {
        await saveNews()
        failed = false
      } catch (error) {
        if (!stopped && !failed) note(`The chain cannot be written down: ${(error as Error).message}`)
        failed = true
      }
      if (stopped) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  ended.then(stop)
  const done = loop()
  return async () => {
    stop()
    await done
  }
}
