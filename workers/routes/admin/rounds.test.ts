import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMembers } from '../../test/attested-set.ts'
import { createOperator, networkNow, signIn } from '../../test/callers.ts'
import { bodyOf, expectAnswer, expectInvalid, expectRefusal, itemsOf } from '../../test/client.ts'
import { createValidators } from '../../test/evidence.ts'
import { type Deed, publishRound, right, type SimulatedEnd } from '../../test/final-rounds.ts'
import type { Json } from '../../test/known-answers.ts'
import { forgetRounds, rowsOfRounds } from '../../test/round-tables.ts'
import { rowsOf, runSql } from '../../test/tables.ts'

const operator = await createOperator()
const members = await createMembers(3)
const validators = await createValidators(4)
const issuedAt = await networkNow()

const deeds: Deed[][] = [
  [right, right, right],
  [right, ['wrong'], right],
  [right, right, 'missed'],
  ['missed', right, ['wrong', 'right']],
  [right, right, right],
]

const path = '/admin/v1/rounds/rebuild'
// Away from its bounds a reputation is the same in any order of rounds.
const forget = () => forgetRounds(5_000)
const entries = () => itemsOf(operator.client.get('/admin/v1/audit-log?subject=rounds'))

let rounds: SimulatedEnd[]
let before: unknown

beforeAll(async () => {
  await forget()
  rounds = []
  for (const [i, given] of deeds.entries())
    rounds.push(await publishRound({ members, deeds: given, validators, issuedAt: issuedAt + i }))
  before = await rowsOfRounds()
})
beforeEach(forget)

/** Rebuilds all pages. Returns the counts of each. */
async function rebuild(limit = 100): Promise<Json[]> {
  const pages: Json[] = []
  let cursor: string | null = null
  do {
    const answer = await operator.client.post(path, { cursor, limit, reason: 'A test.' })
    const { next_cursor, ...counts }: Json = await bodyOf(answer)
    pages.push(counts)
    cursor = next_cursor
  } while (cursor !== null)
  return pages
}

const page = (read: number, written = read) => ({ read, written, skipped: 0, failed: [] })

describe('POST /admin/v1/rounds/rebuild', () => {
  test('restores the rows of an emptied database in pages, and writes nothing twice', async () => {
    expect(await rebuild(2)).toEqual([page(2), page(2), page(1)])
    expect(await rowsOfRounds()).toEqual(before)
    expect(await rebuild()).toEqual([page(5, 0)])
    expect(await rowsOfRounds()).toEqual(before)
  })

  test('writes only the rounds that the database lacks', async () => {
    await operator.client.post(path, { limit: 2 })
    expect(await rebuild()).toEqual([page(5, 3)])
    expect(await rowsOfRounds()).toEqual(before)
  })

  test('counts in a trial the rounds that the database lacks, optionally since a time', async () => {
    const trial = (body: object) => bodyOf(operator.client.post(path, { trial: true, ...body }))
    await operator.client.post(path, { limit: 2 })
    expect(await trial({})).toEqual({ ...page(5, 3), next_cursor: null })
    expect(await trial({ since: Math.floor(Date.now() / 1000) + 60 })).toMatchObject(page(0))
    const { next_cursor: cursor } = await trial({ limit: 3, since: 1 })
    expect(await trial({ since: 1, cursor })).toMatchObject({ read: 2, next_cursor: null })
    expect((await rowsOf('SELECT 1 FROM rounds')).length).toBe(2)
    expect(await rebuild()).toEqual([page(5, 3)])
  })

  test('logs each rebuild once, with its operator, who cannot use the cursor of another operator', async () => {
    const known = (await entries()).length
    await rebuild(2)
    expect((await entries()).slice(0, -known)).toMatchObject([
      { action: 'rounds.rebuild', operator: operator.address, reason: 'A test.' },
    ])
    const { next_cursor: cursor } = await bodyOf(operator.client.post(path, { limit: 1 }))
    const other = await createOperator()
    await expectInvalid(other.client.post(path, { cursor }), 'cursor')
  })

  test('403 forbidden: a wallet that is not an operator', async () => {
    await expectRefusal((await signIn()).client.post(path, {}), '403 forbidden')
    expect(await rowsOf('SELECT 1 FROM rounds')).toEqual([])
  })

  test('skips a round until the version of its project exists', async () => {
    await runSql("UPDATE project_versions SET consensus_hash = 'x' || consensus_hash")
    await expectAnswer(operator.client.post(path, {}), 200, { read: 5, written: 0, skipped: 5 })
    await runSql('UPDATE project_versions SET consensus_hash = substr(consensus_hash, 2)')
    expect(await rebuild()).toEqual([page(5)])
    expect(await rowsOfRounds()).toEqual(before)
  })

  describe('with other records in the bucket', () => {
    const put = (id: string, file: object) => env.ROUNDS.put(`rounds/${id}`, JSON.stringify(file))
    const own = ['exec:1', 'task:0', 'task:1']
    afterEach(() => env.ROUNDS.delete(own.map((id) => `rounds/${id}`)))

    test('omits direct rounds, skips earlier formats, and names the records that it cannot write', async () => {
      const [{ file } = {} as never] = rounds
      const { round } = file.published
      await put('exec:1', { round_id: 'exec:1', exec_votes: [] })
      await put('task:0', { round_id: 'task:0', task: file.task })
      const broken = { ...round, roundId: 'task:1', kind: null }
      await put('task:1', { ...file, published: { leases: [], round: broken } })
      expect(await rebuild()).toEqual([{ read: 7, written: 5, skipped: 1, failed: ['task:1'] }])
      expect(await rowsOfRounds()).toEqual(before)
    })
  })
})
