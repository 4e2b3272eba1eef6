import * as z from 'zod'
import { readParamsSchedule } from '../protocol/earnings/index.ts'
import { chainProfileOf, type Profile, readProfile } from '../protocol/identity/index.ts'
import { defaultAllowances, relayedActions } from './actions/allowances.ts'
import { Contracts } from './chain/contracts.ts'
import { Address, Amount, Bytes32, textOf } from './http/formats.ts'
import { localProblems } from './local-problems.ts'

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))

/** A value that is not JSON is a problem of its setting, like any other. */
const readJson = (text: string, { addIssue }: z.core.$RefinementCtx): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    addIssue({ code: 'custom', message: 'is not JSON' })
    return z.NEVER
  }
}

const Brand = z.strictObject({
  name: textOf({ min: 1, max: 40 }).optional(),
  /** A picture of this hub: of the answer of `POST /v1/developers/assets`. */
  logo: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the sha256 of an uploaded image')
    .optional(),
  accent: z
    .string()
    .regex(/^#[0-9A-F]{6}$/, 'must be # and six digits of 0-9 and A-F')
    .optional(),
})

const Coin = z.strictObject({
  symbol: textOf({ min: 1, max: 31 }).default('ETH'),
  name: textOf({ min: 1, max: 64 }).default('Ether'),
})

const wei = Amount.transform(BigInt)

const Fields = z.object({
  /** JSON object with the members of the network profile that differ from the default. */
  PROFILE: z
    .string()
    .default('{}')
    .transform(readJson)
    .transform((given, { addIssue }): Profile => {
      const read = readProfile(given)
      if ('profile' in read) return read.profile
      for (const { member, message } of read.problems)
        addIssue({ code: 'custom', path: member === '' ? [] : [member], message })
      return z.NEVER
    }),
  /** JSON list of changes of parameters, instead of those that this version knows for the chain; all nodes of the network need the same. */
  PARAMS_CHANGES: z.string().transform(readJson).optional(),
  /** The URL at which clients reach this hub: https; on a local network also http, or a host of this machine. */
  BASE_URL: z.url({ protocol: /^https?$/, abort: true }).transform((url) => new URL(url)),
  /** A network of this machine alone: nodes and pages may use http here, and keys may be those that everybody has. */
  LOCAL_NETWORK: z.stringbool().default(false),
  /** Whether the status says so, for clients that wait or tell their users. Calls are answered as before. */
  MAINTENANCE: z.stringbool().default(false),
  /** Further hosts whose pages may ask wallets to sign in, comma separated. */
  WEB_HOSTS: list,
  /** Whether browsers get the console; programs get the same answers either way. */
  CONSOLE: z.stringbool().default(true),
  /** JSON object with how the console names and shows itself; what is left out is the network's own. */
  CONSOLE_BRAND: z.string().default('{}').transform(readJson).pipe(Brand),
  OPERATOR_ADDRESSES: list.pipe(z.array(Address)),
  RATE_LIMIT_MULTIPLIER: z.coerce.number().int().min(1).max(1000).default(1),
  /** Enrollments become active and verified at once. */
  AUTO_APPROVE_DEVELOPERS: z.stringbool().default(false),
  /** Validators count without an operator's approval. */
  AUTO_APPROVE_NODES: z.stringbool().default(false),
  /** Nodes of the chain that take batches, comma separated, the preferred first. Without a chain, contract wallets cannot sign in. */
  CHAIN_RPC_URL: list
    .pipe(z.array(z.url({ protocol: /^https?$/ })))
    .transform((urls) => urls.join(',') || undefined),
  CHAIN_NAME: z.string().min(1).optional(),
  /** JSON object with symbol and name of what the chain's gas is paid in. Its amounts have 18 decimals, as wallets take them. */
  CHAIN_COIN: z.string().default('{}').transform(readJson).pipe(Coin),
  /** JSON object with the addresses of the contracts; without it nothing is indexed and the faucet is closed. */
  CHAIN_CONTRACTS: z.string().transform(readJson).pipe(Contracts).optional(),
  /** The block before the first one with an event of these contracts. */
  CHAIN_START_BLOCK: z.coerce.number().int().min(0).default(0),
  /** Blocks, its own included, after which a relayed transaction is final. */
  CHAIN_CONFIRMATIONS: z.coerce.number().int().min(1).default(12),
  /** Depth at which events are final; left out, the chain's own finalized block counts. */
  CHAIN_FINALITY_BLOCKS: z.coerce.number().int().min(0).optional(),
  /** Blocks whose hashes are known, to find where two histories part. */
  CHAIN_WINDOW_BLOCKS: z.coerce.number().int().min(1).default(128),
  /** A node of the chain that has not answered a question of the hub by then counts as one that does not. */
  CHAIN_TIMEOUT_MS: z.coerce.number().int().min(50).default(5_000),
  /** From one block of the chain to the next. The hub looks for a block once in this time, and a second time when it is late. */
  CHAIN_BLOCK_SECS: z.coerce.number().min(0.02).max(3_600).default(12),
  /** Shown in the descriptor, for networks whose chain anyone may reach this way. */
  CHAIN_PUBLIC_RPC_URL: z.url().optional(),
  EXPLORER_URL: z.url().optional(),
  /** The source of network time: the machine or, on local networks, a chain whose time somebody moves ahead of it. */
  CLOCK: z.enum(['system', 'chain']).default('system'),
  /** Secret. Nothing but this hub's relayer may sign with it. Without it nothing is relayed. */
  RELAYER_PRIVATE_KEY: Bytes32.optional(),
  /** Secret. Keys that relayed before this one, comma separated, for as long as `/v1/status` shows open actions of theirs. */
  RELAYER_PREVIOUS_KEYS: list.pipe(z.array(Bytes32)),
  /** Secret. Left out where the arbiter of the contracts is not the hub. */
  ARBITER_PRIVATE_KEY: Bytes32.optional(),
  /** Secret. ed25519 seed that the hub signs its calls to nodes with; without it validators are not called. */
  COORDINATOR_SEED: Bytes32.optional(),
  /** The most that a transaction may pay per gas, and in all: nodes refuse more than 1 ether unless they are told otherwise. */
  RELAYER_FEE_CAP_GWEI: z.coerce.number().int().min(1).default(100),
  RELAYER_TX_FEE_CAP_WEI: wei.default(10n ** 18n),
  /** A balance below this is an alarm for the operators. */
  RELAYER_LOW_WEI: wei.default(2n * 10n ** 17n),
  RELAYER_TICK_MS: z.coerce.number().int().min(20).default(1_000),
  RELAYER_STUCK_MS: z.coerce.number().int().min(50).default(30_000),
  /** Gas that what all wallets together have relayed may take in a day, times RATE_LIMIT_MULTIPLIER. */
  RELAYER_GAS_PER_DAY: z.coerce.number().int().min(1).default(1_000_000_000),
  /** How much of that one wallet may take, in percent. */
  RELAYER_OWNER_GAS_PERCENT: z.coerce.number().min(0.01).max(100).default(5),
  /** JSON object with the daily allowances of a wallet that differ from the defaults, by action; times RATE_LIMIT_MULTIPLIER. */
  RELAY_ALLOWANCES: z
    .string()
    .default('{}')
    .transform(readJson)
    .pipe(z.partialRecord(z.enum(relayedActions), z.int().min(0)))
    .transform((differing) => ({ ...defaultAllowances, ...differing })),
  FAUCET_ENABLED: z.stringbool().default(true),
  FAUCET_AMOUNT_WEI: wei.default(1_000n * 10n ** 18n),
  FAUCET_NATIVE_WEI: wei.default(10n ** 16n),
  /** The native part of a drip is left out when less than this would remain for relaying. */
  FAUCET_NATIVE_RESERVE_WEI: wei.default(10n ** 17n),
  FAUCET_COOLDOWN_SECONDS: z.coerce.number().int().min(1).default(86_400),
  FAUCET_WALLETS_PER_ADDRESS: z.coerce.number().int().min(1).default(3),
  FAUCET_DRIPS_PER_DAY: z.coerce.number().int().min(1).default(1_000),
  FAUCET_REQUIRES_VALIDATORS: z.stringbool().default(false),
  /** Whether anybody may have the validators run a function, by `POST /v1/execute`. */
  DIRECT_ROUNDS_ENABLED: z.stringbool().default(true),
  /** The most gas of one direct round; validators have a limit of their own, `nodectl serve --direct-gas`. */
  DIRECT_GAS_MAX: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).default(1_000_000_000),
  /** How long, how many and how much direct rounds are kept. */
  DIRECT_KEEP_SECONDS: z.coerce.number().int().min(60).default(86_400),
  DIRECT_KEEP_ROUNDS: z.coerce.number().int().min(1).max(100_000).default(10_000),
  DIRECT_KEEP_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(64 * 1024 * 1024),
  /** How long events are kept, and how much of them. */
  EVENTS_KEEP_DAYS: z.coerce.number().int().min(1).max(365).default(7),
  EVENTS_KEEP_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(512 * 1024 * 1024),
  /** How long, and how many, rounds of tasks are in the database before they are archived. */
  ROUNDS_KEEP_DAYS: z.coerce.number().int().min(1).default(30),
  ROUNDS_KEEP_ROWS: z.coerce.number().int().min(1).default(5_000_000),
  /** Bytes of the whole database above which rounds are archived as soon as their epoch is posted; D1 holds 10 GB. */
  ROUNDS_KEEP_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(4 * 1024 ** 3),
  /** Keys the cursors and seals the secrets of webhooks; at least 32 characters, the same on every isolate. */
  HUB_SECRET: z.string().min(32),
})

/** Each key has nonces and a balance of its own, and an arbiter judges what the relayer does. */
export const SettingsSchema = Fields.superRefine((settings, { addIssue }) => {
  const { RELAYER_PRIVATE_KEY: relayer, RELAYER_PREVIOUS_KEYS: previous } = settings
  const { ARBITER_PRIVATE_KEY: arbiter } = settings
  const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message })
  if (relayer !== undefined && previous.includes(relayer))
    refuse(
      'RELAYER_PREVIOUS_KEYS',
      'contains the key of RELAYER_PRIVATE_KEY: remove it, or relay with another key',
    )
  if (new Set(previous).size < previous.length) refuse('RELAYER_PREVIOUS_KEYS', 'has a key twice')
  const chain = chainProfileOf(settings.PROFILE.chain_id)
  if (chain !== undefined && settings.CHAIN_CONFIRMATIONS < chain.confirmationsMin)
    refuse('CHAIN_CONFIRMATIONS', `is below ${chain.confirmationsMin}, the least on ${chain.name}: raise it`)
  if (chain?.finality && (settings.CHAIN_FINALITY_BLOCKS ?? Infinity) < chain.finality.blocks)
    refuse(
      'CHAIN_FINALITY_BLOCKS',
      `is below ${chain.finality.blocks}, the least on ${chain.name}: leave it out, since that chain says which block is final`,
    )
  for (const [name, message] of localProblems(settings)) refuse(name, message)
  const read = readParamsSchedule(settings.PROFILE.chain_id, settings.PARAMS_CHANGES)
  for (const { member, message } of 'problems' in read ? read.problems : [])
    refuse(`PARAMS_CHANGES${member}`, message)
  if (arbiter !== undefined && [relayer, ...previous].includes(arbiter))
    refuse('ARBITER_PRIVATE_KEY', 'is a present or former key of the relayer: the arbiter needs another key')
})

/** Every setting, by its name. */
export const settingFields = Fields.shape

type Raw = Readonly<Record<string, unknown>>

/** Settings from texts, as the platform hands them in. */
export const parseSettings = (raw: Raw) =>
  SettingsSchema.safeParse(raw, { error: ({ input }) => (input === undefined ? 'is missing' : null) })

/** The faults of settings: each names its setting, and none contains a value. */
export const settingProblems = (raw: Raw): string[] =>
  parseSettings(raw).error?.issues.map(describeIssue) ?? []

export const describeIssue = ({ path, message }: z.core.$ZodIssue): string =>
  `${path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`)).join('')}: ${message}`
