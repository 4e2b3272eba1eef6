import { expect, test } from 'vitest'
import { receiptWaitsUntil } from '../../../../protocol/earnings/index.ts'
import { defaultNetworkParams, resolveProfile } from '../../../../protocol/identity/index.ts'
import type { Task } from '../../../../protocol/rounds/index.ts'
import {
  type KnownEpoch,
  keepFinal,
  keepRules,
  knownEpoch,
  recordsOf,
} from '../../../../testing/node/final-rounds.ts'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { openServeStore } from '../store/index.ts'
import type { Judgement } from '../store/rounds.ts'
import { receiptDifference } from './difference.ts'
import { epochJobs } from './jobs.ts'

const build = (name: string) => {
  const known = knownEpoch(name)
  const store = openServeStore(temporaryFolder())
  keepRules(store, known)
  keepFinal(store, recordsOf(known), [])
  store.close()
  return { known, built: epochJobs.buildReceipt({ ...contextOf(known), file: store.file }) }
}

const contextOf = ({ projectId, epoch, consensus }: KnownEpoch) => {
  const gasPerUnit = defaultNetworkParams.gas_per_unit
  return { profile: resolveProfile(), consensus, gasPerUnit, projectId, epoch }
}

test.each(['per_unit', 'epoch_pool', 'amount_of_zero_is_listed'])(
  'records give the receipt of the known answer %s',
  (name) => {
    const { known, built } = build(name)
    expect(built).toMatchObject({ status: 'built', receiptHash: known.receiptHash })
  },
)

test.each(['nothing_to_pay', 'no_units'])('the known answer %s gives no receipt', (name) => {
  expect(build(name).built).toEqual({ status: 'nothing' })
})

test('a round whose audit block came after the receipt stopped waiting is paid to nobody', () => {
  const known = knownEpoch('per_unit')
  const until = receiptWaitsUntil(known.epoch, known.consensus.work)
  const records = recordsOf(known)
  const unitsWith = (timestamp: number): number | undefined => {
    const store = openServeStore(temporaryFolder())
    keepRules(store, known)
    const [late, ...others] = records
    const task = { project_id: known.projectId, epoch: known.epoch } as Task
    const judgement = { audit_block: { number: 1, hash: late!.receipt_hash, timestamp } } as Judgement
    store.rounds.judge({ roundId: late!.round_id, task, judgement }, 'committee_agreed', until)
    keepFinal(store, [late!, ...others], [])
    store.close()
    const built = epochJobs.buildReceipt({ ...contextOf(known), file: store.file })
    return built.status === 'built' ? built.body.totals.units : undefined
  }
  const all = known.units.reduce((sum, { units }) => sum + units, 0)
  expect(unitsWith(until)).toBe(all)
  expect(unitsWith(until + 1)).toBe(all - known.units[0]!.units)
})

test('a difference names recipients by their address, and each value that differs', () => {
  const { built } = build('per_unit')
  if (built.status !== 'built') throw new Error('nothing was built')
  const { body } = built
  const [first, ...others] = body.compute_units
  const stranger = `0x${'ff'.repeat(20)}`
  const proposed = {
    ...body,
    compute_units: [
      { ...first!, units: first!.units + 1 },
      ...others,
      { miner: stranger, units: 1, amount: '1' },
    ],
    totals: { ...body.totals, units: body.totals.units + 2 },
  }
  expect(receiptDifference(proposed, body)).toEqual([
    {
      path: `compute_units.${first!.miner}`,
      proposed: { units: 15, amount: first!.amount },
      own: { units: 14, amount: first!.amount },
    },
    { path: 'totals.units', proposed: 62, own: 60 },
    { path: `compute_units.${stranger}`, proposed: { units: 1, amount: '1' }, own: null },
  ])
  expect(receiptDifference(body, body)).toEqual([])
})
