import type { Settings } from './env.ts'
import { ApiError } from './errors.ts'

/** Settings that the hub does without, by the part that does not work then. */
const settingsOfParts = {
  chain: ['CHAIN_RPC_URL', 'CHAIN_CONTRACTS'],
  relayer: ['CHAIN_RPC_URL', 'CHAIN_CONTRACTS', 'RELAYER_PRIVATE_KEY'],
  coordinator: ['COORDINATOR_SEED'],
} as const satisfies Record<string, readonly (keyof Settings)[]>

type Part = keyof typeof settingsOfParts

const missingFor = (settings: Settings, part: Part): string[] =>
  settingsOfParts[part].filter((name) => settings[name] === undefined)

export const missingSettings = (settings: Settings): Partial<Record<Part, string[]>> =>
  Object.fromEntries(
    (Object.keys(settingsOfParts) as Part[])
      .map((part) => [part, missingFor(settings, part)] as const)
      .filter(([, names]) => names.length > 0),
  )

/** 503 `unavailable` for what this hub is not set up to do: trying again does not help before an operator has set it up. */
export const notSetUp = (what: string, settings: Settings, part: Part): ApiError =>
  new ApiError(
    'unavailable',
    `${what} is not configured: this hub lacks the settings ${missingFor(settings, part).join(', ')}.`,
    { headers: { 'Retry-After': '3600' } },
  )
