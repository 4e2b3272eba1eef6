import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { Lease, Round } from '../../durable-objects/round/round.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { readSettings } from '../env.ts'
import { device, leave, link, offerOf, openReady, testLinks } from '../link/testing/links.ts'
import { createRoundConfig } from './round-config.ts'

testLinks()

const hourSecs = 3_600
const now = Math.floor(Date.now() / 1_000)
const thisHour = hourSecs * Math.floor(now / hourSecs)
const terms = {
  roundId: `task:0x${'ab'.repeat(32)}`,
  task: { project_id: `0x${'cd'.repeat(32)}`, module_address: `0x${'ef'.repeat(20)}` },
  input: 'aW5wdXQ=',
  rules: { snapshotAt: now - 600 },
}
const round = { terms } as unknown as Round
const lease = {
  ...{ position: 0, role: 'primary', nodeKey: `0x${'17'.repeat(32)}` },
  ...{ acceptBy: now + 10, voteBy: now + 30 },
} as Lease

/** Rounds of a hub whose parameters change at a time. */
function roundsOf(from: number) {
  const changing = { ...env, PARAMS_CHANGES: JSON.stringify([{ from, params: { audit_bp: 2_000 } }]) }
  return createRoundConfig(changing, readSettings(changing))
}

test.each([
  ['not before a change', 30, ['absent', true]],
  ['from its start on', 0, ['dropped', false]],
  ['for two days', -47, ['dropped', false]],
  ['and no longer', -49, ['absent', true]],
] as const)(
  'a member that is away, or declines because it stops, is excused for some time after a change: %s',
  async (_, hours, expected) => {
    const rounds = roundsOf(thisHour + hours * hourSecs)
    const served = await rounds.isServed(round, 'stopping')
    expect([await rounds.offer(round, lease), served]).toEqual(expected)
  },
)

test('a member that accepted and left soon after a change is excused, but not one that is still connected', async () => {
  const [soonAfter, long] = [roundsOf(thisHour), roundsOf(thisHour - 49 * hourSecs)]
  const relay = await openReady()
  const { offer_id, task } = offerOf()
  const own = { terms: { ...terms, task, roundId: deriveTaskRoundId(task) } } as unknown as Round
  const seat = { ...lease, nodeKey: device().publicKey }
  expect(await soonAfter.offer(own, seat)).toBe('offered')
  relay.send({ type: 'accept', offer_id })
  await relay.drain()
  expect(await link().status()).toMatchObject({ activeLeases: 1 })
  const heard = async () => [await soonAfter.wasHeard(own, seat), await long.wasHeard(own, seat)]
  // The link holds an accepted offer in memory until the round knows of it.
  relay.send({ type: 'ping' })
  await relay.drain()
  expect(await heard()).toEqual([true, true])
  await leave(relay)
  expect(await heard()).toEqual([false, true])
})
