import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Has what nobody holds collected, and what waits for that done. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await new Promise(setImmediate)
  }
}
