import { randomBytes } from 'node:crypto'
import { evmAddress } from '../protocol/signatures/index.ts'
import { CommandError } from '../scripts/command/errors.ts'
import { madeOn, readDeployments, readVersions, type Version } from './account.ts'
import type { Environment } from './environment.ts'
import { environmentProblems, optionalSecrets, requiredSecrets, type Secret } from './hub-settings.ts'
import type { Wrangler } from './wrangler.ts'
import { WranglerError } from './wrangler-error.ts'

/** Every secret of the hub that is generated is 32 bytes: keys, seeds, and the secret of cursors. */
const generateSecret = (): string => `0x${randomBytes(32).toString('hex')}`

export interface SecretPlan {
  /** Values to set now, by name. Nobody prints them. */
  readonly values: Readonly<Record<string, string>>
  /** A line for each value: its source, and the account of a key. */
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
  /** Whether a file keeps a generated key: Cloudflare shows no secret again, and a key may own something. */
  readonly isKept: boolean
}

const relayerKey = 'RELAYER_PRIVATE_KEY'
const previousKeys = 'RELAYER_PREVIOUS_KEYS'

/** The secrets that a rotation replaces: with a relayer key, also those before it. */
export const replacedBy = (rotate: string | null): readonly string[] =>
  rotate === null ? [] : rotate === relayerKey ? [relayerKey, previousKeys] : [rotate]

/** Which secrets to set, and to which values. Existing secrets stay, unless one is rotated. @throws {@link CommandError} */
export function planSecrets(
  environment: Environment,
  { present, rotate, given, isKept }: Wanted,
): SecretPlan {
  const required = requiredSecrets(environment)
  const known = [...required, ...optionalSecrets]
  if (rotate !== null && !known.some(({ name }) => name === rotate))
    throw new CommandError(
      `${rotate} is not a secret of the hub. Its secrets are: ${known.map(({ name }) => name).join(', ')}.`,
    )
  const values: Record<string, string> = {}
  const notes: string[] = []
  const missing: Secret[] = []
  for (const secret of known) {
    const { name } = secret
    const isWanted = replacedBy(rotate).includes(name) || !present.has(name)
    const value = given[name]
    // The key of an account that the file names is somewhere already.
    const isNew = name !== relayerKey || (isKept && (environment.relayer === '' || name === rotate))
    if (value !== undefined && isWanted) values[name] = value
    else if (isWanted && secret.isGenerated && isNew) {
      if (name === rotate && !isKept)
        throw new CommandError(
          `A generated ${name} can be read nowhere once it is set, and a restored network needs it: add --save FILE.`,
        )
      values[name] = generateSecret()
    } else if (isWanted && (required.includes(secret) || name === rotate)) missing.push(secret)
    if (name in values) notes.push(noteOf(name, values[name]!, sourceOf(value !== undefined, isKept)))
  }
  const problems = environmentProblems(environment, values).filter((problem) =>
    Object.keys(values).some((name) => problem.startsWith(name)),
  )
  if (problems.length > 0) throw new CommandError(problems.join('\n'))
  const key = values[relayerKey]
  if (key !== undefined && rotate === null && environment.relayer !== '')
    if (evmAddress(key) !== environment.relayer.toLowerCase())
      throw new CommandError(
        `${relayerKey} is the key of ${evmAddress(key)}, and the file names ${environment.relayer} as relayer.`,
      )
  if (rotate === relayerKey && present.has(rotate) && given[previousKeys] === undefined)
    throw new CommandError(
      'A relayer that is replaced has open actions: give its key as RELAYER_PREVIOUS_KEYS in the same call, or leave the actions to time out with RELAYER_PREVIOUS_KEYS="".',
    )
  return { values, notes, missing }
}

/**
 * The content of the file of `--save` after new values were set. It also has each value that was replaced, with the time: a key may still own
 * something, and Cloudflare shows no secret again.
 */
export function savedSecrets(
  kept: Readonly<Record<string, string>>,
  values: SecretPlan['values'],
  now: Date,
): Record<string, string> {
  const replaced = Object.entries(kept).flatMap(([name, value]) =>
    name in values && values[name] !== value ? [[`${name} until ${now.toISOString()}`, value] as const] : [],
  )
  return { ...kept, ...values, ...Object.fromEntries(replaced) }
}

function sourceOf(isGiven: boolean, isKept: boolean): string {
  if (isGiven) return 'taken from the environment variable of that name'
  return isKept
    ? 'generated'
    : 'generated, and kept nowhere: restoring a backup needs it, so rotate it with --save FILE'
}

function noteOf(name: string, value: string, how: string): string {
  return /^0x[0-9a-f]{64}$/i.test(value) && /^(RELAYER|ARBITER)_PRIVATE_KEY$/.test(name)
    ? `${name}  ${how}; its account is ${evmAddress(value)}`
    : `${name}  ${how}`
}

const secretsMessage = 'secrets for the next version'

/** Whether a version was made by a change of secrets. `secret bulk` gives it no message, `versions secret bulk` one of its own. */
export function isSecretChange({ annotations = {} }: Version): boolean {
  const { 'workers/message': message, 'workers/triggered_by': cause = 'secret' } = annotations
  if (message === undefined) return cause === 'secret'
  return message === secretsMessage || /^Bulk updated \d+ secrets$/.test(message)
}

/** Whether a version that runs is from before the last change of secrets. */
export async function isChangeIdle(wrangler: Wrangler, worker: string): Promise<boolean> {
  const deployments = (await readDeployments(wrangler, worker)) ?? []
  const running = deployments[0]?.versions.map(({ version_id }) => version_id) ?? []
  if (running.length === 0) return false
  const versions = await readVersions(wrangler, worker)
  const [oldest = ''] = running.map((id) => madeOn(id, versions, deployments)).sort()
  return versions.some(
    (one) => isSecretChange(one) && !running.includes(one.id) && one.metadata.created_on > oldest,
  )
}

/**
 * Sets secrets of a Worker. Cloudflare changes the secrets of the newest version alone: if that has no traffic, as after a rollback, they are
 * added to it, and the next version that is uploaded has them. @returns Whether the Worker that runs has them.
 */
export async function putSecrets(
  wrangler: Wrangler,
  worker: string,
  values: SecretPlan['values'],
): Promise<boolean> {
  const input = JSON.stringify(values)
  try {
    await wrangler(['secret', 'bulk', '--name', worker], input)
    return true
  } catch (error) {
    if (!(error instanceof WranglerError && error.isNewestIdle)) throw error
    await wrangler(['versions', 'secret', 'bulk', '--name', worker, '--message', secretsMessage], input)
    return false
  }
}

/** Secrets with their purposes, a line each. */
export const secretList = (secrets: readonly Secret[]): string =>
  secrets.map(({ name, about }) => `  ${name}  ${about}`).join('\n')
