import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describeParamsProblems, readParamsChanges } from '../protocol/earnings/index.ts'
import { StartError } from './errors.ts'
import { withStartErrors } from './state.ts'

/**
 * The changes of parameters of the network, which are written down: the next start keeps them, and nodes read them.
 *
 * @param kept where they are written down.
 * @param given a file; null for those of the last start, else for none.
 * @returns Their JSON; null for a network without changes.
 * @throws {@link StartError} which names everything that no network can have.
 */
export function keepParamsChanges(kept: string, given: string | null, chainId: number): string | null {
  const file = given ?? (existsSync(kept) ? kept : null)
  if (file === null) return null
  let changes: unknown
  try {
    changes = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError(`The changes of parameters ${file} cannot be read: ${(error as Error).message}`)
  }
  const read = readParamsChanges(chainId, changes)
  if ('problems' in read)
    throw new StartError(
      `The changes of parameters ${file} are wrong: ${describeParamsProblems(read.problems)}.`,
    )
  const text = JSON.stringify(changes)
  withStartErrors(kept, () => writeFileSync(kept, `${text}\n`))
  return text
}
