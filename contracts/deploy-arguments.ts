import { parseArgs } from 'node:util'
import type { Address, Hex } from 'viem'
import { hasWrongChecksum } from '../protocol/encoding/index.ts'
import { describeProfileProblems, type GivenProfile, readProfile } from '../protocol/identity/index.ts'
import type { Beginning, Roles } from './deploy-options.ts'

export const usage = `Usage: npm run deploy:contracts -- --rpc URL --key-env VAR --admin ADDRESS --arbiter ADDRESS
         --treasury ADDRESS [--guardian ADDRESS] [--relayer ADDRESS] [--poster ADDRESS] [--proposer ADDRESS]
         [--reviewer ADDRESS] [--dripper ADDRESS] [--minter ADDRESS] [--profile JSON]
         [--resume NONCE:BLOCK] [--write FILE] [--check]

Deploys the contracts of a network, after a check of chain, balance, roles and parameters, and prints the settings
of its hub on standard output, in the format of wrangler.toml and .dev.vars.

  --rpc URL           node of the chain
  --key-env VAR       environment variable with the private key that pays; the account has no role unless you name it
  --admin ADDRESS     announces changes of roles, which take effect four days later; keep its key away from the hub
  --arbiter ADDRESS   decides disputes, vetoes epochs and pauses; not the relayer
  --guardian ADDRESS  revokes roles at once, and can do nothing else (default: the admin)
  --treasury ADDRESS  receives the network's fees and slashed collateral
  --relayer ADDRESS   account of the hub's RELAYER_PRIVATE_KEY (default: the one that pays); it gets every role below
                      that is not given to another account
  --poster ADDRESS    posts epochs and opens vaults
  --proposer ADDRESS  proposes slashes
  --reviewer ADDRESS  sets the listing status of projects
  --dripper ADDRESS   gives tokens out of the faucet
  --minter ADDRESS    creates tokens
  --profile JSON      members of the network profile that differ from the default; the chain id is the chain's
  --resume N:BLOCK    resumes an interrupted deployment, which printed N and BLOCK before its first transaction
  --write FILE        enters start block and addresses into the file of an environment, such as deploy/testnet.toml
  --check             only checks; sends no transaction
  --help              show this

Exit codes: 0 done, 1 refused or failed, 2 wrong usage.

Example:
  DEPLOYER=0x… npm run -s deploy:contracts -- --rpc https://rpc.example --key-env DEPLOYER --admin 0x… --arbiter 0x… \\
    --treasury 0x… --check`

/** Thrown for arguments that make no deployment. */
export class DeployUsageError extends Error {
  override readonly name = 'DeployUsageError'
}

export type DeployArguments = NonNullable<ReturnType<typeof readDeployArguments>>

/** Roles that the relayer has unless another account is named. */
const separable = ['poster', 'proposer', 'reviewer', 'dripper', 'minter'] as const
const required = ['rpc', 'key-env', 'admin', 'arbiter', 'treasury'] as const
const texts = [...required, ...separable, 'guardian', 'relayer', 'profile', 'resume', 'write'] as const
const options = {
  ...(Object.fromEntries(texts.map((name) => [name, { type: 'string' }])) as Record<
    (typeof texts)[number],
    { type: 'string' }
  >),
  check: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/**
 * Reads the arguments of `npm run deploy:contracts`; null when they ask for help.
 * @throws {@link DeployUsageError}
 */
export function readDeployArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const values = parse(args)
  if (values.help) return null
  const need = (name: (typeof required)[number]): string => {
    const value = values[name]
    if (value === undefined) throw new DeployUsageError(`--${name} is missing. See --help.`)
    return value
  }
  const given = separable.flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [[name, readAddress(name, value)] as const]
  })
  return {
    rpcUrl: readUrl(need('rpc')),
    key: readKey(need('key-env'), env),
    admin: readAddress('admin', need('admin')),
    arbiter: readAddress('arbiter', need('arbiter')),
    guardian: readAddress('guardian', values.guardian ?? need('admin')),
    treasury: readAddress('treasury', need('treasury')),
    /** Null for the account that pays. */
    relayer: values.relayer === undefined ? null : readAddress('relayer', values.relayer),
    /** Roles that the relayer does not get. */
    others: Object.fromEntries(given) as Partial<Roles>,
    profile: readGivenProfile(values.profile ?? '{}'),
    /** Null for a new deployment. */
    resume: values.resume === undefined ? null : readResume(values.resume),
    /** The file of an environment; null to print alone. */
    write: values.write ?? null,
    checkOnly: values.check ?? false,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new DeployUsageError(`${(error as Error).message}\n\n${usage}`)
  }
}

function readUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new DeployUsageError(`--rpc must be an http or https URL, not "${value}".`)
  return value
}

function readKey(variable: string, env: Readonly<Record<string, string | undefined>>): Hex {
  const key = env[variable] ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new DeployUsageError(`${variable} must hold 0x and 64 hex digits.`)
  return key as Hex
}

function readAddress(name: string, value: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(value) || /^0x0+$/.test(value))
    throw new DeployUsageError(`--${name} must be an address that is not zero, not "${value}".`)
  if (hasWrongChecksum(value))
    throw new DeployUsageError(
      `--${name} must be an address with a correct checksum, not "${value}"; check it for typing errors.`,
    )
  return value.toLowerCase() as Address
}

function readResume(value: string): Beginning {
  const [, nonce, block] = /^(\d{1,15}):(\d{1,15})$/.exec(value) ?? []
  if (nonce === undefined) throw new DeployUsageError(`--resume must be a nonce and a block, not "${value}".`)
  return { nonce: Number(nonce), block: Number(block) }
}

function readGivenProfile(value: string): GivenProfile {
  let given: unknown
  try {
    given = JSON.parse(value)
  } catch {
    // Refused below, with everything else that is not an object.
  }
  const read = readProfile(given)
  if ('profile' in read) return given as GivenProfile
  throw new DeployUsageError(`--profile ${describeProfileProblems(read.problems)}, in "${value}".`)
}
