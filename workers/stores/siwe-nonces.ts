import { and, eq, gt, isNull } from 'drizzle-orm'
import { Store } from './database.ts'
import { siweNonces } from './schema/index.ts'
import { build } from './statements.ts'

export type SiweNonce = typeof siweNonces.$inferSelect

/** Uses a nonce up, if it is neither used nor expired. */
export const consumeNonce = (nonce: string, now: number) =>
  build
    .update(siweNonces)
    .set({ usedAt: now })
    .where(and(eq(siweNonces.nonce, nonce), isNull(siweNonces.usedAt), gt(siweNonces.expiresAt, now)))

/** Sign-in nonces: issued once, used once. */
export class SiweNonceStore extends Store {
  async insert(nonce: Omit<SiweNonce, 'usedAt'>): Promise<void> {
    await this.db.insert(siweNonces).values(nonce)
  }

  async find(nonce: string): Promise<SiweNonce | null> {
    return (await this.db.select().from(siweNonces).where(eq(siweNonces.nonce, nonce)).get()) ?? null
  }

  /** Uses the nonce up. Of any number of racing calls exactly one gets `consumed`. */
  async consume(nonce: string, now: number): Promise<'consumed' | 'gone'> {
    const result = await this.db.run(consumeNonce(nonce, now))
    return result.meta.changes === 1 ? 'consumed' : 'gone'
  }
}
