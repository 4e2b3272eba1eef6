import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../../protocol/encoding/index.ts'
import { services } from '../../services.ts'
import { NetworkFiguresStore } from '../../stores/network-figures.ts'
import { createMembers, type Member } from '../../test/attested-set.ts'
import { networkNow } from '../../test/callers.ts'
import { bodyOf, client } from '../../test/client.ts'
import { createValidators } from '../../test/epochs.ts'
import { publishRound, right, type SimulatedRound } from '../../test/final-rounds.ts'
import { emptyTables, rowsOf } from '../../test/tables.ts'

const validators = await createValidators(4)
const members = await createMembers(3)
const now = await networkNow()
beforeEach(() => emptyTables('rounds', 'leases', 'epoch_receipts', 'epoch_shares'))

const publish = (given: Partial<SimulatedRound> = {}) =>
  publishRound({ members, deeds: [right, right, right], validators, issuedAt: now, ...given })

describe('GET /v1/explorer/finality', () => {
  test('samples tasks of each hour of the last day, oldest hour first', async () => {
    await env.DB.prepare("DELETE FROM rounds WHERE kind = 'task'").run()
    const quarterOf = (at: number) => at - (at % 900)
    for (let second = 0; second < 3; second++) await publish({ issuedAt: quarterOf(now - 3_600) + second })
    await publish({ issuedAt: now })
    await publish({ issuedAt: now - 5 * 3_600 })
    await publish({ issuedAt: now - 30 * 3_600 })
    await publish({ issuedAt: now, state: 'failed' })
    const quarter = quarterOf(now - 8 * 3_600)
    for (const [second, ms] of [1_000, 2_001].entries()) {
      await publish({ issuedAt: quarter + second })
      await env.DB.prepare('UPDATE rounds SET finality_ms = ? WHERE issued_at = ?')
        .bind(ms, quarter + second)
        .run()
    }
    const { items } = await bodyOf(client().get('/v1/explorer/finality'))
    expect(items).toHaveLength(24)
    // The hour of the answer, which may have begun after the rounds.
    const hour = now - (now % 3_600)
    expect(items.at(-1).starts_at).toBeOneOf([hour, hour + 3_600])
    const busy = items.filter(({ sampled }: { sampled: number }) => sampled > 0)
    expect(busy.map(({ starts_at }: { starts_at: number }) => (hour - starts_at) / 3_600)).toEqual([
      8, 5, 1, 0,
    ])
    // At most two rounds of a quarter of an hour are sampled.
    expect(busy.map(({ sampled }: { sampled: number }) => sampled)).toEqual([2, 1, 2, 1])
    for (const { median_ms, slowest_ms } of busy) expect(median_ms).toBeLessThanOrEqual(slowest_ms)
    // Between the two in the middle, and rounded to whole milliseconds.
    expect(busy[0]).toMatchObject({ sampled: 2, median_ms: 1_501, slowest_ms: 2_001 })
    expect(items[0]).toMatchObject({ sampled: 0, median_ms: null, slowest_ms: null })
  })
})

describe('GET /v1/explorer/stats', () => {
  const stats = () => bodyOf(client().get('/v1/explorer/stats'))

  test('counts rounds when they end, and updates the other figures by the schedule', async () => {
    await emptyTables('network_hours', 'network_figures')
    expect(await stats()).toEqual({
      projects_listed: 0,
      miners_online: 0,
      devices_online: 0,
      rounds_24h: 0,
      rounds_finalized_24h: 0,
      units_24h: 0,
      validators: 0,
      collateral_bonded: '0',
      sets: { running: expect.any(Number), attested: expect.any(Number) },
      rewards: null,
      updated_at: 0,
    })
    await publish({ deeds: [right, right, 'missed'], gasUsed: 2_000_001 })
    await publish({ state: 'failed' })
    await publish({ issuedAt: now - 25 * 3_600 - 3_600 })
    const [first] = members as [Member]
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO chain_states (kind, subject, state, block_number) VALUES ('subscription', 'a', ?, 1)",
      ).bind(JSON.stringify({ status: 'bonded', collateral: '7000000000000000000000000000001' })),
      env.DB.prepare(
        "INSERT INTO chain_states (kind, subject, state, block_number) VALUES ('subscription', 'b', ?, 1)",
      ).bind(JSON.stringify({ status: 'unbonding', collateral: '5' })),
      env.DB.prepare("UPDATE devices SET link_state = 'idle' WHERE node_id = ?").bind(first.device.nodeId),
    ])
    await services(env).store(NetworkFiguresStore).refresh(now)
    const results = await rowsOf("SELECT 1 FROM projects WHERE listing_status = 'listed'")
    expect(await stats()).toEqual({
      projects_listed: results.length,
      miners_online: 1,
      devices_online: 1,
      rounds_24h: 2,
      rounds_finalized_24h: 1,
      units_24h: 6,
      validators: 4,
      collateral_bonded: '7000000000000000000000000000001',
      sets: { running: results.length, attested: expect.any(Number) },
      rewards: null,
      updated_at: now,
    })
  })

  test('shows the rewards of the newest epochs in their most frequent token', async () => {
    const token = (symbol: string) =>
      JSON.stringify({ address: hashText(symbol).slice(0, 42), symbol, name: symbol, decimals: 18 })
    const attested = (epoch: number, symbol: string, gross: string) =>
      env.DB.prepare(
        `INSERT INTO epoch_receipts (project_id, epoch, epoch_secs, starts_at, vault, consensus_hash, receipt_hash,
          merkle_root, token, totals, recipients, leaves, attestations, accepted_at, state, settlement)
          VALUES (?, ?, 1, ?2, '', '', '', '', ?, ?, 1, 1, 3, ?2, 'attested', 'queued')`,
      ).bind(hashText('paid'), epoch, token(symbol), JSON.stringify({ gross }))
    await emptyTables('epoch_receipts')
    await env.DB.batch([
      ...Array.from({ length: 60 }, (_, epoch) => attested(epoch, 'ONE', '10000000000000000000000')),
      attested(70, 'TWO', '5'),
    ])
    expect((await stats()).rewards).toEqual({
      ...{ amount: '490000000000000000000000', epochs: 49, since: 11 },
      token: JSON.parse(token('ONE')),
    })
    await emptyTables('epoch_receipts')
  })
})
