import type { Sealer } from '../http/seal.ts'
import type { SealedSecret } from '../stores/schema/webhooks.ts'

/** A secret is sealed for its webhook: in the row of another one it opens nothing. */
const contextOf = (webhookId: string): string => `webhook ${webhookId}`

export const sealSecret = (sealer: Sealer, webhookId: string, secret: string): Promise<string> =>
  sealer.seal(secret, contextOf(webhookId))

export const isValid = ({ expiresAt }: SealedSecret, now: number): boolean =>
  expiresAt === null || expiresAt > now

/** The secrets that sign now, the newest first. Secrets that were sealed under another HUB_SECRET are lost. */
export async function openSecrets(
  sealer: Sealer,
  { webhookId, secrets }: { webhookId: string; secrets: readonly SealedSecret[] },
  now: number,
): Promise<string[]> {
  const opened = await Promise.allSettled(
    secrets
      .filter((secret) => isValid(secret, now))
      .map(({ sealed }) => sealer.open(sealed, contextOf(webhookId))),
  )
  return opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}
