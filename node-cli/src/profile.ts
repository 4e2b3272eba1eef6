import path from 'node:path'
import { CanonicalJsonError, isObject, parseStrictJson } from '../../protocol/encoding/index.ts'
import {
  describeProfileProblems,
  type Profile,
  readProfile,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import { CliError } from './cli/errors.ts'
import { readUpTo } from './cli/input.ts'
import { readKeptFile, writeKeptFile } from './data-dir/kept-file.ts'

/** The names of a network that gives itself no others. */
export const defaultProfile = resolveProfile()

const bytesMax = 64 * 1024

const profileVariable = 'NODE_PROFILE'

/** The option `--profile` of a command that knows no other settings. */
export const profileArgument = {
  type: 'string',
  valueHint: 'FILE',
  description: 'Names of the network: the JSON of its hub’s descriptor, or only its profile',
} as const

export const profileEnvironment = [profileVariable, 'As --profile'] as const

const keptFile = (dataDir: string): string => path.join(dataDir, 'profile.json')

/**
 * The names that a command works with: those of the file that was named, else those that the data directory has kept.
 *
 * @returns Null if neither exists.
 * @throws {@link CliError} for a file that cannot be read, and for names that no network can have.
 */
export function findProfile(file: string | null, dataDir: string | null): Profile | null {
  if (file !== null) return parseProfile(file, readFile(file))
  const kept = dataDir === null ? null : readKept(keptFile(dataDir))
  return kept === null ? null : parseProfile(keptFile(dataDir!), Buffer.from(kept))
}

/** The same for a command without further settings; the default names where nothing says others. */
export const profileOf = (
  { profile }: { readonly profile?: string | undefined },
  dataDir: string | null,
  env: NodeJS.ProcessEnv = process.env,
): Profile => findProfile(profile ?? (env[profileVariable] || null), dataDir) ?? defaultProfile

/** Has a data directory remember the names of its network. One of the default names needs no file. */
export function keepProfile(dataDir: string, profile: Profile): void {
  const { network, chain_id } = profile
  const text = JSON.stringify(profile, null, 2)
  const isDefault = text === JSON.stringify({ ...defaultProfile, network, chain_id }, null, 2)
  const file = keptFile(dataDir)
  const kept = readKept(file)
  if (kept === `${text}\n` || (kept === null && isDefault)) return
  try {
    writeKeptFile(file, `${text}\n`)
  } catch (error) {
    throw new CliError('profile', `${file} cannot be written: ${(error as Error).message}`)
  }
}

function readKept(file: string): string | null {
  try {
    return readKeptFile(file, bytesMax)
  } catch (error) {
    // A path that is not a directory gets its own message later, when it is used.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null
    throw new CliError('profile', `${file} cannot be read: ${(error as Error).message}`)
  }
}

function readFile(file: string): Uint8Array {
  try {
    return readUpTo(file, bytesMax)
  } catch (error) {
    throw new CliError('profile', `the profile ${file} cannot be read: ${(error as Error).message}`)
  }
}

function parseProfile(file: string, bytes: Uint8Array): Profile {
  if (bytes.length > bytesMax)
    throw new CliError('profile', `the profile ${file} is larger than ${bytesMax} bytes`)
  let given: unknown
  try {
    given = parseStrictJson(bytes)
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    throw new CliError('profile', `the profile ${file} is not acceptable JSON: ${error.message}`)
  }
  const read = readProfile(isObject(given) && isObject(given.profile) ? given.profile : given)
  if ('profile' in read) return read.profile
  throw new CliError('profile', `the profile ${file} is wrong: ${describeProfileProblems(read.problems)}`)
}
