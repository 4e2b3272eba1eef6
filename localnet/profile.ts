import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import {
  describeProfileProblems,
  type GivenProfile,
  type Profile,
  readProfile,
  resolveProfile,
} from '../protocol/identity/index.ts'
import { StartError } from './errors.ts'
import { withStartErrors } from './state.ts'

/** The members in a file of names. @throws {@link StartError} which names every member that no network can have. */
export function readProfileFile(file: string): GivenProfile {
  let given: unknown
  try {
    given = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError(`The profile ${file} cannot be read: ${(error as Error).message}`)
  }
  const read = readProfile(given)
  if ('profile' in read) return given as GivenProfile
  throw new StartError(`The profile ${file} is wrong: ${describeProfileProblems(read.problems)}.`)
}

/** The names of a network on that chain. @throws {@link StartError} where they are for another chain. */
export function profileOn(chainId: number, given: GivenProfile): Profile {
  const { chain_id = chainId } = given
  if (chain_id === chainId) return resolveProfile({ ...given, chain_id })
  throw new StartError(
    `The profile is wrong: chain_id is ${chain_id}, and the chain has ${chainId}. Leave it out.`,
  )
}

/**
 * The names of the network, which are written down: the next start keeps them, and nodes read them.
 *
 * @param kept where they are written down.
 * @param given null for those of the last start, else the default.
 * @throws {@link StartError}
 */
export function keepProfile(kept: string, given: GivenProfile | null, chainId: number): Profile {
  // The network may have gone over to another chain.
  const last = existsSync(kept) ? { ...readProfileFile(kept), chain_id: chainId } : {}
  const profile = profileOn(chainId, given ?? last)
  writeProfile(kept, profile)
  return profile
}

export const writeProfile = (file: string, profile: Profile): void =>
  withStartErrors(file, () => writeFileSync(file, `${JSON.stringify(profile, null, 2)}\n`))
