import { expect, test } from 'vitest'
import { defaultNetworkParams, makeSchedule } from '../identity/index.ts'
import { paramsOfEpoch } from './epoch.ts'

const hour = 3_600
const day = 24 * hour

test('an epoch keeps the parameters of its first second, even if they change while it runs', () => {
  const changes = [
    { from: 10 * day + 5 * hour, params: { audit_bp: 1 } },
    { from: 20 * day, params: { audit_bp: 2 } },
  ]
  const schedule = makeSchedule(defaultNetworkParams, changes)
  const auditOf = (epochSecs: number, ...epochs: number[]) =>
    epochs.map((epoch) => paramsOfEpoch(schedule, epoch, epochSecs).audit_bp)
  const { audit_bp } = defaultNetworkParams
  expect(auditOf(day, 9, 10, 11, 19, 20)).toEqual([audit_bp, audit_bp, 1, 1, 2])
  expect(auditOf(hour, 244, 245, 479, 480)).toEqual([audit_bp, 1, 1, 2])
})
