import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import {
  describeProfileProblems,
  type GivenProfile,
  type Profile,
  readProfile,
} from '../protocol/identity/index.ts'
import { StartError } from './errors.ts'
import { withStartErrors } from './state.ts'

/**
 * The names of the network on a chain, which are written down: the next start keeps them, and nodes read them.
 *
 * @param kept where they are written down.
 * @param given file with the names that were asked for; null for those of the last start, else the default.
 * @throws {@link StartError}
 */
export function keepProfile(kept: string, given: string | null, chainId: number): Profile {
  const file = given ?? (existsSync(kept) ? kept : null)
  const profile = file === null ? completeProfile({}, chainId, kept) : readProfileFile(file, chainId)
  writeProfile(kept, profile)
  return profile
}

/** @throws {@link StartError} which names every member that it cannot have. */
export function readProfileFile(file: string, chainId: number): Profile {
  let given: unknown
  try {
    given = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError(`The profile ${file} cannot be read: ${(error as Error).message}`)
  }
  return completeProfile(given, chainId, file)
}

export const writeProfile = (file: string, profile: Profile): void =>
  withStartErrors(file, () => writeFileSync(file, `${JSON.stringify(profile, null, 2)}\n`))

function completeProfile(given: unknown, chainId: number, file: string): Profile {
  const read = readProfile(given)
  if ('problems' in read)
    throw new StartError(`The profile ${file} is wrong: ${describeProfileProblems(read.problems)}.`)
  const { chain_id = chainId } = given as GivenProfile
  if (chain_id !== chainId)
    throw new StartError(
      `The profile ${file} is wrong: chain_id is ${chain_id}, and the chain has ${chainId}. Leave it out.`,
    )
  return { ...read.profile, chain_id }
}
