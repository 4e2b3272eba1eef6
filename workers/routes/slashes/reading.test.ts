import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { hashEvidence } from '../../../protocol/slashing/index.ts'
import { bodyOf, type Client, client, expectRefusal, itemsOf, pagesOf } from '../../test/client.ts'
import { bonded, createAccused, createProposed, indexSlash, indexState } from '../../test/evidence.ts'
import { minCollateral } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'

type Json = Record<string, unknown>

const now = () => Math.floor(Date.now() / 1000)
const accused = await createAccused()
const read = (hash: string) => bodyOf<Json>(client().get(`/v1/slashes/${hash}`))

describe('a slash that was recorded', () => {
  test('is closed when an operator gives up the proposal', async () => {
    const evidence = accused.equivocation()
    await client().post('/v1/slashes', evidence)
    const hash = hashEvidence(evidence)
    await runSql("UPDATE hub_actions SET state = 'closed' WHERE subject = ?", hash)
    expect(await read(hash)).toMatchObject({
      status: 'cancelled',
      closed_reason: 'given_up',
      recovery: null,
    })
  })

  test('follows the chain, also after a reorganisation', async () => {
    const hash = await createProposed(accused)
    expect(await read(hash)).toMatchObject({
      status: 'proposed',
      recovery: 'dispute',
      executable_at: expect.any(Number),
      propose_tx: expect.stringMatching(/^0x/),
    })
    await indexSlash(hash, { status: 'executed', taken: '5' })
    expect(await read(hash)).toMatchObject({ status: 'executed', taken: '5', recovery: 'none' })
    await runSql(
      "UPDATE chain_states SET state = json_set(state, '$.status', 'disputed') WHERE subject = ?",
      hash,
    )
    expect(await read(hash)).toMatchObject({ status: 'disputed' })
    await runSql('DELETE FROM chain_states WHERE subject = ?', hash)
    expect(await read(hash)).toMatchObject({ status: 'recorded', propose_tx: null, executable_at: null })
  })

  test('has the recovery top_up while it jails the subscription', async () => {
    const jailed = await createAccused()
    const hash = await createProposed(jailed)
    const low = { at: 5, left: '1' }
    await indexState('subscription', jailed.subscriptionId, {
      ...bonded(1n, jailed.owner.address),
      slashed_total: String(minCollateral - 1n),
      slash_lows: [low],
    })
    await indexSlash(hash, { status: 'executed', taken: String(minCollateral - 1n) })
    expect(await read(hash)).toMatchObject({ recovery: 'top_up' })
    await indexState('subscription', jailed.subscriptionId, {
      ...bonded(minCollateral, jailed.owner.address),
      slash_lows: [low],
    })
    expect(await read(hash)).toMatchObject({ recovery: 'none' })
  })
})

test('lists are newest first, and filtered by owner, project and status', async () => {
  const listed = await createAccused()
  const proposed = await createProposed(listed)
  const executed = await createProposed(listed, { status: 'executed' })
  const recorded = listed.equivocation()
  await client().post('/v1/slashes', recorded)
  const all = [proposed, executed, hashEvidence(recorded)]
  await env.DB.batch(
    all.map((hash, i) =>
      env.DB.prepare('UPDATE slashes SET created_at = ? WHERE evidence_hash = ?').bind(now() + 100 + i, hash),
    ),
  )
  const hashesAt = async (caller: Client, path: string) =>
    (await itemsOf(caller.get(path))).map(({ evidence_hash }) => evidence_hash)
  const newest = all.toReversed()
  for (const path of ['/v1/me/slashes', `/v1/explorer/slashes?project_id=${listed.projectId}`])
    expect(await hashesAt(listed.owner.client, path)).toEqual(newest)
  expect((await hashesAt(client(), '/v1/explorer/slashes')).slice(0, 3)).toEqual(newest)
  for (const [status, hash] of [
    ['proposed', proposed],
    ['executed', executed],
    ['recorded', newest[0]],
  ]) {
    expect(await hashesAt(listed.owner.client, `/v1/me/slashes?status=${status}`)).toEqual([hash])
    expect((await hashesAt(client(), `/v1/explorer/slashes?status=${status}`))[0]).toBe(hash)
    expect(
      await hashesAt(client(), `/v1/explorer/slashes?project_id=${listed.projectId}&status=${status}`),
    ).toEqual([hash])
  }
  const pages = await pagesOf(listed.owner.client, '/v1/me/slashes', 2)
  expect(pages.map((page) => page.map(({ evidence_hash }) => evidence_hash))).toEqual([
    newest.slice(0, 2),
    newest.slice(2),
  ])
  const { next_cursor } = await bodyOf(listed.owner.client.get('/v1/me/slashes?limit=2'))
  await expectRefusal(
    listed.owner.client.get(`/v1/me/slashes?limit=2&status=proposed&cursor=${next_cursor}`),
    '400 invalid_field',
  )
})
