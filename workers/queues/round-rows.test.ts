import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { writtenRound } from '../rounds/round-end.ts'
import { services } from '../services.ts'
import { createMembers } from '../test/attested-set.ts'
import { networkNow } from '../test/callers.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { createValidators } from '../test/evidence.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { type Deed, publishSimulated, right, type SimulatedEnd, simulateRound } from '../test/final-rounds.ts'
import { consume, consumeIn } from '../test/queue.ts'
import { forgetRounds, rowsOfRounds } from '../test/round-tables.ts'
import { rowsOf } from '../test/tables.ts'
import { type OneRound, roundMessage } from './round-message.ts'

const members = await createMembers(3)
const validators = await createValidators(4)
const issuedAt = await networkNow()

beforeEach(() => forgetRounds(9980))

const deeds: Deed[][] = [
  [right, right, right],
  [right, ['wrong'], right],
  [right, right, 'missed'],
  [right, right, right],
  ['missed', right, ['wrong', 'right']],
  [right, right, right],
]

const rounds: SimulatedEnd[] = deeds.map((given, i) =>
  simulateRound({ members, deeds: given, validators, issuedAt: issuedAt + i, gasUsed: 1_000_000 * (i + 1) }),
)

const messageOf = ({ file }: SimulatedEnd): OneRound => ({ v: 1, ...writtenRound(file) })

describe('the queue round-rows', () => {
  test('writes a batch with the same result as single messages, in any order and with repetitions', async () => {
    for (const round of rounds) await publishSimulated(round)
    const oneByOne = await rowsOfRounds()
    await forgetRounds(9980)
    const messages = rounds.map(messageOf)
    const some = messages.slice(0, 2)
    expect(await consume('round-rows', ...some.toReversed())).toMatchObject({ retried: [] })
    // Offences are recorded at once: what is still to be recorded is another matter.
    const offences = await rowsOf('SELECT round_id FROM round_offences')
    expect(await consume('round-rows', ...messages.toReversed(), ...messages)).toMatchObject({ retried: [] })
    expect(await consume('round-rows', ...messages)).toMatchObject({ retried: [] })
    expect(withoutOffences(await rowsOfRounds())).toEqual(withoutOffences(oneByOne))
    expect(offences.length).toBeLessThanOrEqual(1)
  })

  test('needs one round trip for a batch of any size', async () => {
    const { db, use } = countedDatabase()
    const quiet = rounds.filter((_, i) => deeds[i]!.every((deed) => deed === right))
    const answer = await consumeIn({ ...env, DB: db }, 'round-rows', quiet.map(messageOf))
    expect(answer.acked).toHaveLength(quiet.length)
    expect(use.roundTrips).toBe(1)
  })

  test('queries an unavailable database no more often for a batch than for one round', async () => {
    let tries = 0
    const DB = failingDatabase((text) => {
      tries += Number(text.includes('AS holds'))
      return true
    })
    const messages = rounds.map(messageOf)
    const { retried } = await consumeIn({ ...env, DB }, 'round-rows', messages)
    expect([retried.length, tries]).toEqual([messages.length, 1])
  })

  test('does not delay other rounds if one cannot be written', async () => {
    const messages = rounds.map(messageOf)
    const broken = { ...messages[1]!, round: { ...messages[1]!.round, kind: null } }
    const given = messages.map((message, i) => (i === 1 ? broken : message))
    expect(await consume('round-rows', ...given)).toMatchObject({ retried: ['m1'] })
    expect(await rowsOf('SELECT round_id FROM rounds')).toHaveLength(rounds.length - 1)
    expect(await services(env).rounds.find(rounds[1]!.round.roundId)).toBeNull()
  })

  test('writes the rounds of one message like those of many, and retries all of them if one cannot be written', async () => {
    await consume('round-rows', ...rounds.map(messageOf))
    const oneByOne = await rowsOfRounds()
    await forgetRounds(9980)
    const rows = rounds.map(({ file }) => writtenRound(file))
    expect(await consume('round-rows', roundMessage(rows))).toMatchObject({ retried: [] })
    expect(withoutOffences(await rowsOfRounds())).toEqual(withoutOffences(oneByOne))
    await forgetRounds(9980)
    const broken = { ...rows[1]!, round: { ...rows[1]!.round, kind: null as never } }
    expect(await consume('round-rows', roundMessage(rows.with(1, broken)))).toMatchObject({ retried: ['m0'] })
    expect(await rowsOf('SELECT round_id FROM rounds')).toHaveLength(rounds.length - 1)
    expect(await consume('round-rows', roundMessage(rows))).toMatchObject({ retried: [] })
    expect(await rowsOf('SELECT round_id FROM rounds')).toHaveLength(rounds.length)
  })

  test.each([
    [null],
    [{}],
    [{ v: 3, rounds: [] }],
    [{ v: 2, round: { roundId: 'task:' } }],
    [{ v: 1, round: {} }],
  ])('passes unreadable messages to the dead letters: %j', async (body) => {
    expect(await consume('round-rows', body, messageOf(rounds[0]!))).toEqual({
      acked: ['m1'],
      retried: ['m0'],
    })
  })

  test('adds an open round to lists, and never resets it to an earlier state', async () => {
    const { object } = rounds[0]!
    const open = (state: 'pending' | 'escalated'): OneRound => ({
      ...messageOf(rounds[0]!),
      round: { ...messageOf(rounds[0]!).round, state, finalizedAt: null },
      end: null,
    })
    await consume('round-rows', open('escalated'), open('pending'))
    await consume('round-rows', open('pending'))
    const row = () => services(env).rounds.find(object.terms.roundId)
    expect(await row()).toMatchObject({ state: 'escalated' })
    const unjudged = open('escalated')
    const leases = unjudged.leases.map(
      (lease) => ({ ...lease, state: 'voted', proofStatus: 'pending' }) as const,
    )
    await consume('round-rows', messageOf(rounds[0]!), { ...unjudged, leases })
    expect(await row()).toMatchObject({ state: 'finalized' })
    expect(await rowsOf('SELECT DISTINCT state, proof_status FROM leases')).toEqual([
      { state: 'finalized', proof_status: 'verified' },
    ])
  })
})

const withoutOffences = (tables: unknown[][]) => tables.slice(0, -1)
