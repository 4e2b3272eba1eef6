import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { Block } from '../../../protocol/committees/index.ts'
import { hashPayoutLeaf, verifyPayoutProof } from '../../../protocol/earnings/index.ts'
import { services } from '../../services.ts'
import { signIn } from '../../test/callers.ts'
import { expectRefusal, itemsOf, pagesOf, statusesOf } from '../../test/client.ts'
import { createProject } from '../../test/epochs.ts'
import type { Json } from '../../test/known-answers.ts'
import { runSql } from '../../test/tables.ts'
import { actionOf, postingOf, withdrawalScene } from './testing/withdrawals.ts'

const scene = withdrawalScene()
const { chain, settle, sum, pay, ask, listed, claimed, one, claimable, sent, schedule, end, mine } = scene

/** The index has everything that the chain has. */
const readHead = () => scene.history.append(unixNow(), [], scene.head())

describe('POST /v1/me/withdrawals/claims', () => {
  test('202: one transaction to each vault claims the payouts with their proofs', async () => {
    const other = await createProject()
    const receipts = [await settle(2), await settle(1)]
    const third = await settle(0, other)
    const response = await ask()
    expect([response.status, response.headers.get('location')]).toEqual([202, '/v1/me/withdrawals'])
    const items = await itemsOf(response)
    const of = (id: string) => items.find(({ epochs }) => epochs[0].project_id === id)
    expect(items).toHaveLength(2)
    expect(of(scene.project.projectId)).toMatchObject({
      kind: 'claim',
      status: 'processing',
      amount: sum(receipts),
      recipient: scene.wallet.address,
      epochs: receipts.map(({ round }) => ({ project_id: scene.project.projectId, epoch: round, fee: '0' })),
      subscription_id: null,
      fee: '0',
      tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      completed_at: null,
      error: null,
    })
    expect(of(other.projectId)).toMatchObject({ amount: sum([third]), epochs: [{ epoch: third.round }] })
    for (const receipt of [...receipts, third]) {
      const batch = sent().find(({ to }) => to === receipt.vault_address)
      const claim = batch?.claims.find(({ epoch }) => epoch === BigInt(receipt.round))
      const payout = { miner: scene.wallet.address, amount: String(claim?.amount) }
      expect(String(claim?.miner).toLowerCase()).toBe(scene.wallet.address)
      const leaf = hashPayoutLeaf(receipt.project_id, receipt.round, payout)
      expect(verifyPayoutProof(receipt.merkle_root, leaf, claim?.proof ?? [])).toBe(true)
    }
    expect(new Set(await listed())).toEqual(new Set(items))
  })

  test('is completed when its payments are indexed, and ends when they are final', async () => {
    const receipts = [await settle(1), await settle()]
    const [{ withdrawal_id, tx_hash }] = await claimed()
    chain.mine()
    await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`))
    const paid = await pay(receipts, tx_hash ?? '')
    const completed = {
      withdrawal_id,
      status: 'completed',
      amount: sum(receipts),
      tx_hash,
      completed_at: paid.timestamp,
    }
    expect(await one()).toMatchObject(completed)
    expect(await claimable()).toEqual([])
    await schedule()
    expect(await actionOf(await one())).toMatchObject({ state: 'open', attempts: 1 })
    await end()
    expect(await actionOf(await one())).toMatchObject({ state: 'done', attempts: 1 })
    expect(await one()).toMatchObject(completed)
    await expectRefusal(ask(), '409 conflict')
    expect(sent()).toHaveLength(1)
  })

  test('409 conflict: nothing can be claimed, or a withdrawal claims it already', async () => {
    await readHead()
    await expectRefusal(ask(), '409 conflict')
    await settle()
    await claimed()
    await expectRefusal(ask(), '409 conflict')
    const later = await settle(1)
    expect(await claimed()).toMatchObject([{ epochs: [{ epoch: later.round }] }])
  })

  test('404 not_found: an unknown project, or a project that is not public', async () => {
    await settle()
    const unknown = `0x${'0f'.repeat(32)}`
    await expectRefusal(ask({ project_ids: [scene.project.projectId, unknown] }), '404 not_found')
    const hidden = await createProject()
    await runSql(
      "UPDATE projects SET listing_status = 'pending_review' WHERE project_id = ?",
      hidden.projectId,
    )
    await expectRefusal(ask({ project_ids: [hidden.projectId] }), '404 not_found')
    expect(await claimable()).toHaveLength(1)
    expect(sent()).toEqual([])
  })

  test('claims only payouts of the named projects; 409 conflict if they have none', async () => {
    const other = await createProject()
    await settle()
    expect((await ask({ project_ids: [other.projectId] })).status).toBe(409)
    await settle(0, other)
    expect(await claimed({ project_ids: [other.projectId] })).toMatchObject([
      { epochs: [{ project_id: other.projectId }] },
    ])
    expect(sent()).toHaveLength(1)
  })

  test('503 unavailable: the index is read again, and does not have all claims yet; nothing is claimed twice', async () => {
    const receipt = await settle()
    await claimed()
    await mine([receipt])
    await end()
    const withdrawals = await listed()
    expect(withdrawals).toMatchObject([{ status: 'completed' }])
    const { chainIndex, clock } = services(env)
    await chainIndex.forget({ operator: scene.wallet.address, reason: null }, await clock.now())
    await scene.history.begin(scene.history.blocks[0] as Block)
    await expectRefusal(ask(), '503 unavailable')
    await scene.history.append(unixNow(), [postingOf(receipt)], scene.head(), { isBehind: true })
    await expectRefusal(ask(), '503 unavailable')
    await pay([receipt])
    await expectRefusal(ask(), '409 conflict')
    expect(await listed()).toEqual(withdrawals)
    expect(sent()).toHaveLength(1)
  })

  test('429 rate_limited: an eleventh request of a wallet in a minute', async () => {
    await readHead()
    for (let i = 0; i < 10; i++) expect((await ask()).status).toBe(409)
    await expectRefusal(ask(), '429 rate_limited')
  })

  test('concurrent requests put each payout into only one withdrawal', async () => {
    const receipts = [await settle(2), await settle(1), await settle()]
    expect(await statusesOf(Array.from({ length: 10 }, () => ask()))).toEqual([202, ...Array(9).fill(409)])
    expect(sent()).toHaveLength(1)
    expect(await one()).toMatchObject({ amount: sum(receipts) })
  })

  test('claims the hundred oldest payouts of a vault', async () => {
    const receipt = await settle()
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 104)
      INSERT INTO epoch_shares (miner, project_id, epoch, units, amount, leaf)
      SELECT ?, ?, i, 1, '7', 0 FROM n`,
      scene.wallet.address,
      scene.project.projectId,
    )
    await runSql(`INSERT INTO epoch_receipts SELECT project_id, s.epoch, epoch_secs, starts_at, vault, consensus_hash, receipt_hash,
        merkle_root, token, totals, recipients, leaves, attestations, accepted_at, state, settlement, error, posted_tx,
        posted_block, posted_at, release_at
      FROM epoch_receipts JOIN (SELECT epoch FROM epoch_shares WHERE amount = '7') AS s`)
    const { items: first, more } = (await (await ask()).json()) as { items: Json[]; more: boolean }
    expect([first, more]).toMatchObject([[{ amount: '700', status: 'processing' }], true])
    expect(first[0]?.epochs.map(({ epoch }: Json) => epoch)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    const second = await claimed()
    expect(second[0].epochs.map(({ epoch }: Json) => epoch)).toEqual([101, 102, 103, 104, receipt.round])
    expect(sent().map(({ claims }) => claims.length)).toEqual([100, 5])
  })
})

describe('GET /v1/me/withdrawals', () => {
  test('lists the withdrawals of the wallet, newest first, in pages', async () => {
    for (const back of [2, 1, 0]) {
      await settle(back)
      await claimed()
    }
    const [newest, next, oldest] = await listed()
    expect(await pagesOf(scene.wallet.client, '/v1/me/withdrawals', 2)).toEqual([[newest, next], [oldest]])
    expect(await listed((await signIn()).client)).toEqual([])
  })
})
