import { expect, test } from 'vitest'
import { openTestStore } from '../../../../testing/node/node-parts.ts'

test('a lease that is open keeps its row, however many leases came and ended since', () => {
  const { leases } = openTestStore()
  const take = (offer_id: string) =>
    leases.take({
      ...{ offer_id, round_id: `task:${offer_id}`, project_id: 'project', function: 'echo', position: 0 },
      ...{ role: 'primary', vote_by: 600, changed_at: 1 },
    })
  let short = 0
  const end = (count: number) => {
    for (const last = short + count; short < last; ) {
      const offerId = `short ${++short}`
      take(offerId)
      leases.end(offerId, 'counted', null, 1)
    }
  }
  take('long')
  end(1_100)
  const result = { output_b64: '', events: [] }
  leases.vote('long', result, 2)
  end(1_100)
  expect(leases.resultOf('long')).toEqual(result)
  expect(leases.open().map(({ offer_id }) => offer_id)).toEqual(['long'])
  leases.end('long', 'counted', null, 3)
  end(1)
  expect(leases.wasTaken('long')).toBe(false)
  expect(leases.newest(2_000)).toHaveLength(1_000)
})
