import { privateKeys } from '../../localnet/private-keys.ts'
import { UsageError } from '../../scripts/command/errors.ts'

type AccountName = keyof typeof privateKeys

const accountNames = Object.keys(privateKeys).join(', ')

/**
 * The private key of the wallet that --as or --key-env names, or else of `fallback`, where the hub is on this machine:
 * everybody has the keys of these accounts.
 *
 * @throws {@link UsageError}
 */
export function readKey(
  options: { readonly as?: string | undefined; readonly 'key-env'?: string | undefined },
  fallback: AccountName,
  hub: string,
): string {
  const { as: name = fallback, 'key-env': variable } = options
  if (variable !== undefined) {
    if (options.as !== undefined) throw new UsageError('Give --as or --key-env, not both.')
    const key = process.env[variable]
    if (key === undefined)
      throw new UsageError(`${variable} is not set; it must hold the key, 0x and 64 hex digits.`)
    if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new UsageError(`${variable} must hold 0x and 64 hex digits.`)
    return key
  }
  if (options.as === undefined && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(hub).hostname))
    throw new UsageError(
      `Name your wallet with --key-env: ${hub} is not on this machine, and everybody has the key of the ${fallback} of local networks.`,
    )
  if (!Object.hasOwn(privateKeys, name))
    throw new UsageError(`--as must be one of ${accountNames}, not "${name}".`)
  return privateKeys[name as AccountName]
}

/** As {@link readKey} reads them. */
export const keyOptions = { as: { type: 'string' }, 'key-env': { type: 'string' } } as const

/** The part of a command's help about these options. */
export const keyHelp = (
  fallback: AccountName,
): string => `--as NAME           an account of the local network: ${accountNames} (default ${fallback})
  --key-env VARIABLE  the environment variable that holds the private key of another wallet, 0x and 64 hex digits`
