import { expect, test } from 'vitest'
import { defaultNetworkParams, resolveProfile } from '../../../../protocol/identity/index.ts'
import { keepFinal, keepRules, knownEpoch, recordsOf } from '../../../testing/final-rounds.ts'
import { temporaryFolder } from '../../../testing/nodectl.ts'
import { openServeStore } from '../store/index.ts'
import { receiptDifference } from './difference.ts'
import { epochTasks } from './tasks.ts'

const build = (name: string) => {
  const known = knownEpoch(name)
  const store = openServeStore(temporaryFolder())
  keepRules(store, known)
  keepFinal(store, recordsOf(known), [])
  store.close()
  const { projectId, epoch, consensus } = known
  const gasPerUnit = defaultNetworkParams.gas_per_unit
  const context = { file: store.file, profile: resolveProfile(), consensus, gasPerUnit, projectId, epoch }
  return { known, built: epochTasks.buildReceipt(context) }
}

test.each(['per_unit', 'epoch_pool', 'amount_of_zero_is_listed'])(
  'records come to the receipt of the known answer %s',
  (name) => {
    const { known, built } = build(name)
    expect(built).toMatchObject({ status: 'built', receiptHash: known.receiptHash })
  },
)

test.each(['nothing_to_pay', 'no_units'])('there is no receipt for the known answer %s', (name) => {
  expect(build(name).built).toEqual({ status: 'nothing' })
})

test('a difference names recipients by their address, and each value that is not alike', () => {
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
