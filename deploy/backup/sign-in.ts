import { CommandError, UsageError } from '../../scripts/command/errors.ts'
import { fetchFromHub, readNetwork } from '../../scripts/hub/network.ts'
import { reasonOf } from '../../sdk/client.ts'
import { UnreachableError } from '../../sdk/errors.ts'
import { keyWallet } from '../../sdk/key-wallet.ts'
import type { Post } from './objects.ts'

/** A hub may be away for half a minute: a call that fails in the end has the whole backup or restore begin again. */
const retry = { attempts: 11, budget: 1_000 }

/**
 * Signs an operator in at a hub, again when its session has ended. The calls may be repeated, and are when an answer is lost.
 *
 * @param domain - Host of the hub, where it is reached at another one.
 * @param variable - The environment variable that has the key of the operator.
 */
export async function signInOperator(
  url: string,
  domain: string,
  variable: string | undefined,
): Promise<Post> {
  const key = variable === undefined ? undefined : process.env[variable]
  if (key === undefined || !/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new UsageError(
      'Name the environment variable that has the key of an operator: --key-env NAME. It must hold 0x and 64 hex digits.',
    )
  const network = await readNetwork(url, fetchFromHub, retry).catch((error: unknown) => {
    if (!(error instanceof UnreachableError)) throw error
    throw new CommandError(
      `No hub answers on ${url}: ${reasonOf((error.cause ?? error) as Error)}. \`check\` tries it; docs/runbooks/hub-away.md and domain-or-certificate.md say what to do.`,
    )
  })
  const session = await twice(() => network.quiet.signIn(keyWallet(key), { domain }))
  return <T>(path: string, body: object) =>
    twice(
      () =>
        // The types of the client want the path known beforehand.
        session.call(
          `POST ${path}` as 'POST /admin/v1/objects/dump',
          { body, repeatable: true } as object,
        ) as Promise<T>,
    )
}

/** A sign-in whose answer is lost begins again, with another nonce; so does one in the middle of a call. */
const twice = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    if (!(error instanceof UnreachableError)) throw error
    return work()
  })
