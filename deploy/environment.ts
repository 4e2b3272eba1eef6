import { existsSync, readFileSync } from 'node:fs'
import { parse as parseToml } from 'smol-toml'
import * as z from 'zod'
import { hasWrongChecksum } from '../protocol/encoding/index.ts'
import { chainProfiles } from '../protocol/identity/index.ts'
import { CommandError } from '../scripts/command/errors.ts'
import { contractNames } from '../workers/chain/contracts.ts'

/** Schema of a text that may not be filled in yet. */
const orEmpty = (pattern: RegExp, problem: string) =>
  z.string().refine((text) => text === '' || pattern.test(text), problem)
const isAddress = /^0x[0-9a-fA-F]{40}$/
const addressProblem = 'must be an address: 0x and 40 hex digits'
const hasChecksum = [
  (text: string) => !hasWrongChecksum(text),
  'must be an address with a correct checksum: check it for typing errors',
] as const
const Address = z
  .string()
  .regex(isAddress, addressProblem)
  .refine(...hasChecksum)
const AddressOrEmpty = orEmpty(isAddress, addressProblem)
  .refine(...hasChecksum)
  .default('')
const Url = z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })

const Environment = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{1,38}[a-z0-9]$/, 'must be 3 to 40 lower-case letters, digits and hyphens'),
  account_id: orEmpty(/^[0-9a-f]{32}$/, 'must be the 32 hex digits that `npx wrangler whoami` shows').default(
    '',
  ),
  domain: orEmpty(
    /^([a-z0-9-]+\.)+[a-z0-9-]+$/,
    'must be a host alone, such as hub.example.org, without https:// and a path',
  ).default(''),
  operators: z.array(Address).default([]),
  relayer: AddressOrEmpty,
  network: z.record(z.string(), z.string()).default({}),
  chain: z.strictObject({
    profile: z.enum(chainProfiles.map(({ name }) => name)),
    rpc_urls: z.array(Url).optional(),
    public_rpc_url: Url.optional(),
    explorer_url: Url.optional(),
    start_block: z.int().min(0).default(0),
    contracts: z.strictObject(Object.fromEntries(contractNames.map((name) => [name, AddressOrEmpty]))),
  }),
  settings: z
    .record(z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of a setting'), z.string())
    .default({}),
})

/** The content of `deploy/NAME.toml`; an empty text is a value that is not filled in yet. */
export type Environment = z.output<typeof Environment>

/** @param file - The path of an environment. @throws {@link CommandError} which names every member that it cannot have. */
export function readEnvironment(file: string): Environment {
  if (!existsSync(file))
    throw new CommandError(
      `There is no ${file}. Copy deploy/example.toml to it, and fill in the empty values.`,
    )
  const result = Environment.safeParse(readRaw(file))
  if (result.success) return result.data
  const problems = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the file'}: ${message}`,
  )
  throw new CommandError(`${file} cannot be read:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
}

function readRaw(file: string): unknown {
  try {
    return parseToml(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file} is not TOML: ${(error as Error).message}`)
  }
}

/** The members that must be filled in before anything can be deployed, each with the source of its value. */
export function missingMembers({
  account_id,
  domain,
  operators,
  relayer,
  chain,
}: Environment): [string, string][] {
  const noContracts = contractNames.filter((name) => chain.contracts[name] === '')
  const missing: [string, string, boolean][] = [
    ['account_id', '`npx wrangler whoami` shows it', account_id === ''],
    ['domain', 'the host of the API, in a zone of the account', domain === ''],
    ['operators', 'the wallet of at least one person who operates the hub', operators.length === 0],
    ['relayer', '`npm run -s deploy -- secrets` makes its key and prints it', relayer === ''],
    [
      'chain.rpc_urls',
      'addresses of nodes of the chain; leave the member out to keep them secret',
      chain.rpc_urls?.length === 0,
    ],
    [
      'chain.start_block',
      '`npm run deploy:contracts` prints it',
      chain.start_block === 0 && chain.profile !== 'local',
    ],
    [
      `chain.contracts (${noContracts.join(', ')})`,
      '`npm run deploy:contracts` prints them',
      noContracts.length > 0,
    ],
  ]
  return missing.flatMap(([member, source, isMissing]) =>
    isMissing ? [[member, source] as [string, string]] : [],
  )
}
