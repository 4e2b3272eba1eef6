import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { expectedReward } from '../../earnings/expected-reward.ts'
import { json } from '../../http/answer.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { EarnedSum, EarningDevice } from '../../stores/earnings.ts'
import { EarningStore } from '../../stores/earnings.ts'
import type { AccruingEpoch } from '../../stores/epoch-rounds.ts'
import { workDaySecs, workSince } from '../../stores/work-days.ts'
import { receiptExample } from '../explorer/schema.ts'
import { tokenExample } from '../projects/example.ts'
import { balancesOf, TokenBalance } from './balances.ts'

const hourSecs = 3_600
const periods = { '24h': 24 * hourSecs, '7d': 7 * 24 * hourSecs, '30d': 30 * 24 * hourSecs, all: null }
const groups = ['project', 'device', 'day'] as const
type Group = (typeof groups)[number]

/** The key of earnings without a known device. */
const unassigned = 'unassigned'

const Earnings = z
  .strictObject({
    period: z.enum(Object.keys(periods) as (keyof typeof periods)[]),
    totals: z.array(TokenBalance).describe('Amounts of each token; different tokens are not added up.'),
    units: z.int(),
    accruing: z
      .array(TokenBalance)
      .describe(
        'Expected earnings of final rounds in epochs that are not attested yet, if those epochs ended now; not included in the sums.',
      ),
    rows: z.array(
      z
        .strictObject({
          key: z
            .string()
            .describe(
              `A project_id, a node_id or a UTC date, by \`group_by\`. Receipts name wallets, not devices: what several devices earned for the wallet in one project is split by their credited units, of the days of the period if there are any. Earnings of which no device of the wallet is known have the key \`${unassigned}\`.`,
            ),
          units: z.int(),
          amounts: z.array(TokenBalance),
        })
        .meta({ id: 'EarningsRow' }),
    ),
  })
  .meta({ id: 'Earnings' })

const balanceExample = { token: tokenExample, amount: receiptExample.totals.miner }

export const getEarnings = defineRoute(
  {
    method: 'get',
    path: '/v1/me/earnings',
    operationId: 'getEarnings',
    tag: 'Earnings',
    summary: 'Sum up the earnings of your wallet',
    description:
      'Sums the amounts that validators attested for epochs that ended in the period, paid or not. Vetoed epochs earn nothing. An epoch belongs to the UTC day in which it ended.',
    auth: { session: true },
    query: z.strictObject({
      period: z
        .enum(Object.keys(periods) as (keyof typeof periods)[])
        .default('7d')
        .describe('The period, which ends now.'),
      group_by: z.enum(groups).default('project').describe('The key by which rows are grouped.'),
    }),
    responses: ok('The sums. Rows of days are ordered newest first, all other rows by key.', Earnings, {
      period: '7d',
      totals: [balanceExample],
      units: receiptExample.totals.units,
      accruing: [{ token: tokenExample, amount: '1330000000000000' }],
      rows: [
        {
          key: receiptExample.project_id,
          units: receiptExample.totals.units,
          amounts: [balanceExample],
        },
      ],
    }),
  },
  async (c, { query: { period, group_by } }) => {
    const [sums, accruing] = await Promise.all([
      readSums(c, group_by, period),
      c.var.services.epochRounds.accruing(callerOf(c)),
    ])
    const rows = [...Map.groupBy(sums, ({ key }) => key)].sort(([a], [b]) => (a < b ? -1 : 1))
    if (group_by === 'day') rows.reverse()
    return json({
      period,
      totals: balancesOf(sums),
      units: unitsOf(sums),
      accruing: balancesOf(accruing.map(expected)),
      rows: rows.map(([key, own]) => ({ key, units: unitsOf(own), amounts: balancesOf(own) })),
    })
  },
)

async function readSums(c: HubContext, by: Group, period: keyof typeof periods): Promise<EarnedSum[]> {
  const { clock } = c.var.services
  const earnings = c.var.services.store(EarningStore)
  const miner = callerOf(c)
  const seconds = periods[period]
  const since = seconds === null ? null : (await clock.now()) - seconds
  if (by !== 'device') return earnings.sums(miner, by, since)
  const [sums, devices] = await Promise.all([earnings.sums(miner, 'project', since), earnings.devices(miner)])
  const byProject = Map.groupBy(devices, ({ projectId }) => projectId)
  const sinceDay = since === null ? null : Math.floor(since / workDaySecs)
  return sums.flatMap((sum) => splitByDevice(sum, byProject.get(sum.key) ?? [], sinceDay))
}

/** A sum of a project, split by units. The parts add up to it. @param sinceDay - The first day that counts; null for all. */
function splitByDevice(
  sum: EarnedSum,
  devices: readonly EarningDevice[],
  sinceDay: number | null,
): EarnedSum[] {
  const all = devices.map(({ nodeId, units }) => ({ nodeId, units }))
  const recent =
    sinceDay === null
      ? []
      : devices.map(({ nodeId, days }) => ({ nodeId, units: workSince([days], sinceDay).units }))
  const worked = [recent, all].map((some) => some.filter(({ units }) => units > 0))
  const shares = worked.find(({ length }) => length > 0) ?? all
  if (shares.length < 2) return [{ ...sum, key: shares[0]?.nodeId ?? unassigned }]
  const total = shares.reduce((before, { units }) => before + units, 0)
  if (total === 0) return [{ ...sum, key: unassigned }]
  const part = (whole: bigint, units: number) => (whole * BigInt(units)) / BigInt(total)
  let before = 0
  return shares.map(({ nodeId, units }) => {
    const [from, to] = [before, before + units]
    before = to
    return {
      ...{ key: nodeId, token: sum.token },
      units: Number(part(BigInt(sum.units), to) - part(BigInt(sum.units), from)),
      amount: part(sum.amount, to) - part(sum.amount, from),
    }
  })
}

const unitsOf = (sums: readonly EarnedSum[]): number => sums.reduce((total, { units }) => total + units, 0)

const expected = ({ terms, units, epochUnits }: AccruingEpoch): Pick<EarnedSum, 'token' | 'amount'> => ({
  token: terms.token,
  amount: BigInt(expectedReward(terms, units, epochUnits)),
})
