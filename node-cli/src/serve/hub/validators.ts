import path from 'node:path'
import { isObject, isUnsigned } from '../../../../protocol/encoding/index.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import { readKeptFile, writeKeptFile } from '../../data-dir/kept-file.ts'
import { systemClock } from '../clock.ts'
import type { HubClient } from './hub-client.ts'
import { HubError } from './hub-error.ts'
import { readNetwork } from './network.ts'
import { readValidators, type ValidatorSet } from './validator-set.ts'

const fileName = 'validators.json'
const fileBytesMax = 2 ** 20

/** Whoever is unknown makes this node ask the hub, but not more often than the hub's own answer changes. */
const askAgainSeconds = 10

/** The validators as the hub last named them. */
export interface KnownValidators {
  /** Null until the hub has answered once, on this start or an earlier one. */
  readonly current: () => ValidatorSet | null
  /** Unix seconds of the answer that {@link current} is from; null while there is none. */
  readonly asOf: () => number | null
  /** Asks the hub. @throws {@link HubError}, and what was known stays. */
  readonly refresh: () => Promise<ValidatorSet>
  /** Asks the hub unless it was asked a moment ago; what is known when it does not answer. For a caller that is unknown. */
  readonly refreshForUnknown: () => Promise<ValidatorSet | null>
}

interface Kept {
  readonly hub: string
  readonly network: string
  readonly chain_id: number
  readonly as_of: number
  readonly coordinator_key: string | null
  readonly answer: unknown
}

export interface ValidatorSource {
  readonly client: HubClient
  /** The network that the node belongs to. */
  readonly profile: Profile
  readonly dataDir: string
  /** Told what was refused of an answer. */
  readonly warn: (message: string) => void
}

/** Starts from what is on disk, so that a node whose hub is away knows whom to believe. */
export function knownValidators({ client, profile, dataDir, warn }: ValidatorSource): KnownValidators {
  const file = path.join(dataDir, fileName)
  let kept = readKept(file, client, profile, warn)
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<ValidatorSet> | null = null

  const ask = async (): Promise<ValidatorSet> => {
    const { coordinatorKey } = await readNetwork(client, profile)
    const { answer, ...read } = await client.call({ method: 'GET', target: '/v1/validators' }, (answer) => ({
      answer,
      ...readValidators(answer, profile, client.isLocal),
    }))
    const set = { ...read, coordinatorKey }
    for (const problem of set.problems) if (!kept?.set.problems.includes(problem)) warn(problem)
    const asOf = systemClock.now()
    kept = { set, asOf }
    const record: Kept = {
      hub: client.origin,
      network: profile.network,
      chain_id: profile.chain_id,
      as_of: asOf,
      coordinator_key: coordinatorKey,
      answer,
    }
    try {
      writeKeptFile(file, `${JSON.stringify(record)}\n`)
    } catch (error) {
      warn(`the validators are not kept for the next start: ${(error as Error).message}`)
    }
    return set
  }

  const refresh = (): Promise<ValidatorSet> => {
    askedAt = performance.now()
    asking ??= ask().finally(() => {
      asking = null
    })
    return asking
  }

  return {
    current: () => kept?.set ?? null,
    asOf: () => kept?.asOf ?? null,
    refresh,
    refreshForUnknown: async () => {
      if (asking === null && performance.now() - askedAt < 1000 * askAgainSeconds) return kept?.set ?? null
      try {
        return await refresh()
      } catch (error) {
        if (error instanceof HubError) return kept?.set ?? null
        throw error
      }
    },
  }
}

/** What was written by the hub of another network is not this one's, and what is damaged is asked for again. */
function readKept(
  file: string,
  { origin, isLocal }: HubClient,
  profile: Profile,
  warn: (message: string) => void,
): { set: ValidatorSet; asOf: number } | null {
  try {
    const text = readKeptFile(file, fileBytesMax)
    const kept: unknown = text === null ? null : JSON.parse(text)
    if (!isObject(kept) || kept.hub !== origin) return null
    if (kept.network !== profile.network || kept.chain_id !== profile.chain_id) return null
    if (!isUnsigned(kept.as_of)) return null
    const { coordinator_key: key } = kept
    const coordinatorKey = typeof key === 'string' ? key : null
    return { set: { ...readValidators(kept.answer, profile, isLocal), coordinatorKey }, asOf: kept.as_of }
  } catch (error) {
    warn(`${file} is not used: ${(error as Error).message}`)
    return null
  }
}
