import { createHash, randomBytes } from 'node:crypto'
import type { Hub } from '../../localnet/hub.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import type { HarmfulWallet } from './calls.ts'

/**
 * Wallets with a session each. One address may sign in fifteen wallets a minute, and collects thousands in the twelve hours
 * that a session lasts; here their sessions are put into the database at once.
 */
export async function signedInWallets(
  { miniflare }: Hub,
  profile: Profile,
  count: number,
): Promise<HarmfulWallet[]> {
  const wallets = Array.from({ length: count }, () => {
    const key = `0x${randomBytes(32).toString('hex')}`
    const token = `${profile.session_token_prefix}${randomBytes(32).toString('base64url')}`
    return { key, address: evmAddress(key), token }
  })
  const db = await miniflare.getD1Database('DB', 'hub')
  const insert = db.prepare(
    'INSERT INTO sessions (token_hash, address, created_at, expires_at) VALUES (?, ?, unixepoch(), unixepoch() + 43200)',
  )
  await db.batch(wallets.map(({ address, token }) => insert.bind(hashOf(token), address)))
  return wallets
}

const hashOf = (token: string): string => `0x${createHash('sha256').update(token).digest('hex')}`
