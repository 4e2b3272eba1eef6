import { CommandError, UsageError } from '../../scripts/command/errors.ts'
import { fetchFromHub, readNetwork } from '../../scripts/hub/network.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { reasonOf } from '../../sdk/client.ts'
import { Refusal, UnreachableError } from '../../sdk/errors.ts'
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
  // A sign-in whose answer is lost begins again, with another nonce.
  const enter = () =>
    signIn(network, key, () => {}, domain).catch((error: unknown) => {
      if (!(error instanceof UnreachableError)) throw error
      return signIn(network, key, () => {}, domain)
    })
  let session = await enter()
  // The types of the client want the path known beforehand.
  const call = (path: string, body: object) =>
    session.quiet.call(`POST ${path}` as 'POST /admin/v1/objects/dump', { body, repeatable: true } as object)
  return async <T>(path: string, body: object) => {
    const answer = await call(path, body).catch(async (error: unknown) => {
      if (!(error instanceof Refusal && error.status === 401)) throw error
      session = await enter()
      return call(path, body)
    })
    return answer as T
  }
}
