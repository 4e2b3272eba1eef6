import { randomBytes } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import { CommandError } from '../scripts/command/errors.ts'
import type { Environment } from './environment.ts'
import { environmentProblems, optionalSecrets, requiredSecrets, type Secret } from './hub-settings.ts'

/** Every secret of the hub that is generated is 32 bytes: keys, seeds, and the secret of cursors. */
const generateSecret = (): string => `0x${randomBytes(32).toString('hex')}`

export interface SecretPlan {
  /** Values to set now, by name. Nobody prints them. */
  readonly values: Readonly<Record<string, string>>
  /** What is said of each of them. */
  readonly notes: readonly string[]
  /** Secrets that only an operator knows. */
  readonly missing: readonly Secret[]
}

interface Wanted {
  /** Names that the Worker has. */
  readonly present: ReadonlySet<string>
  /** A secret to replace by another value. */
  readonly rotate: string | null
  /** Values of an operator, by name. */
  readonly given: Readonly<Record<string, string | undefined>>
}

/** Which secrets to set, and to what. Those that are there stay, unless one is rotated. @throws {@link CommandError} */
export function planSecrets(environment: Environment, { present, rotate, given }: Wanted): SecretPlan {
  const required = requiredSecrets(environment)
  const known = [...required, ...optionalSecrets]
  if (rotate !== null && !known.some(({ name }) => name === rotate))
    throw new CommandError(`${rotate} is no secret of the hub: ${known.map(({ name }) => name).join(', ')}.`)
  const values: Record<string, string> = {}
  const notes: string[] = []
  const missing: Secret[] = []
  for (const secret of known) {
    const { name, isGenerated } = secret
    const isWanted = name === rotate || !present.has(name)
    const value = given[name]
    if (value !== undefined && (isWanted || rotate === null)) values[name] = value
    else if (isWanted && isGenerated) values[name] = generateSecret()
    else if (isWanted && (required.includes(secret) || name === rotate)) missing.push(secret)
    if (name in values) notes.push(noteOf(name, values[name]!, value === undefined))
  }
  if (rotate === 'RELAYER_PRIVATE_KEY' && present.has(rotate) && given.RELAYER_PREVIOUS_KEYS === undefined)
    throw new CommandError(
      'A relayer that is replaced has open actions: give its key as RELAYER_PREVIOUS_KEYS in the same call, or leave the actions to time out with RELAYER_PREVIOUS_KEYS="".',
    )
  const problems = environmentProblems(environment, values).filter((problem) =>
    Object.keys(values).some((name) => problem.startsWith(name)),
  )
  if (problems.length > 0) throw new CommandError(problems.join('\n'))
  return { values, notes, missing }
}

function noteOf(name: string, value: string, isGenerated: boolean): string {
  const how = isGenerated ? 'generated' : 'taken from the environment variable of that name'
  return /^(RELAYER|ARBITER)_PRIVATE_KEY$/.test(name)
    ? `${name}  ${how}; its account is ${privateKeyToAddress(value as `0x${string}`).toLowerCase()}`
    : `${name}  ${how}`
}
