import { CommandError, UsageError } from '../../scripts/command/errors.ts'
import { readNetwork } from '../../scripts/hub/network.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { reasonOf } from '../../sdk/client.ts'
import { UnreachableError } from '../../sdk/errors.ts'
import type { Post } from './objects.ts'

/**
 * Signs an operator in at a hub. @param variable - The environment variable that has its key. @param domain - Host of the hub, where it is
 * reached at another one.
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
  const network = await readNetwork(url).catch((error: unknown) => {
    if (!(error instanceof UnreachableError)) throw error
    throw new CommandError(
      `No hub answers on ${url}: ${reasonOf((error.cause ?? error) as Error)}. \`check\` tries it; docs/runbooks/hub-away.md and domain-or-certificate.md say what to do.`,
    )
  })
  const { quiet } = await signIn(network, key, () => {}, domain)
  // The types of the client want the path known beforehand.
  return <T>(path: string, body: object) =>
    quiet.call(`POST ${path}` as 'POST /admin/v1/objects/dump', { body } as object) as Promise<T>
}
