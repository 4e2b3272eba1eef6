/** Bare hono with the reads of the hub's hottest routes, one statement each, and nothing else around them. */
import { secp256k1 } from '@noble/curves/secp256k1'
import { Hono } from 'hono'
import { hashPersonalMessage } from '../../../protocol/signatures/index.ts'

interface Statement {
  bind: (...values: unknown[]) => Statement
  first: <T>() => Promise<T | null>
  all: <T>() => Promise<{ results: T[] }>
}
interface Bindings {
  DB: { prepare: (sql: string) => Statement; batch: (statements: Statement[]) => Promise<unknown[]> }
}

const app = new Hono<{ Bindings: Bindings }>()

app.get('/point/:id', async (c) => {
  const row = await c.env.DB.prepare('SELECT body FROM bench_answers WHERE id = ?')
    .bind(c.req.param('id'))
    .first<{ body: string }>()
  return c.body(row?.body ?? '', 200, { 'Content-Type': 'application/json; charset=utf-8' })
})

app.get('/list', async (c) => {
  const { results } = await c.env.DB.prepare(
    `SELECT project_id, slug, developer, developer_name, developer_verified, name, tagline, category, tags, icon,
      accent_color, listing_status, device_classes, token, reward_model, min_collateral, miners, avg_daily_reward,
      rating_x100, rating_count, trending_score, featured, listed_at, version
    FROM projects WHERE listing_status = 'listed' ORDER BY ordinal DESC LIMIT 51`,
  ).all<object>()
  return c.json({ items: results.slice(0, 50), next_cursor: null })
})

/** One recovery by the library. */
app.post('/recover', async (c) => c.json({ signer: recover(await c.req.json()) }))

/** The least that a sign-in needs: one recovery, one read and one batch of writes. */
app.post('/sign-in', async (c) => {
  const signed = await c.req.json<Signed>()
  const { DB } = c.env
  const nonce = /\nNonce: (\w+)/.exec(signed.message)?.[1] ?? ''
  await DB.prepare('SELECT * FROM siwe_nonces WHERE nonce = ?').bind(nonce).first()
  const signer = recover(signed)
  await DB.batch([
    DB.prepare('UPDATE siwe_nonces SET used_at = 1 WHERE nonce = ? AND used_at IS NULL').bind(nonce),
    DB.prepare(
      'INSERT INTO sessions (token_hash, address, created_at, expires_at) VALUES (?, ?, 1, 9999999999)',
    ).bind(crypto.randomUUID(), signer),
  ])
  return c.json({ token: nonce, address: signer })
})

interface Signed {
  message: string
  signature: string
}

function recover({ message, signature }: Signed): string {
  const parsed = secp256k1.Signature.fromCompact(signature.slice(2, 130))
  const recovery = Number.parseInt(signature.slice(130), 16) - 27
  return parsed.addRecoveryBit(recovery).recoverPublicKey(hashPersonalMessage(message).slice(2)).toHex()
}

export default app
