import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { CommitteeSetStore } from '../stores/committee-sets.ts'
import { openDatabase } from '../stores/database.ts'
import { FiledAttestations } from '../stores/filed-attestations.ts'
import type { TestNode } from '../test/callers.ts'
import { client } from '../test/client.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { rowsOf, scalarOf } from '../test/tables.ts'
import {
  addValidator,
  advance,
  attest,
  attestAs,
  epoch,
  happen,
  now,
  project,
  readSet,
  testSets,
} from './testing/project-sets.ts'

testSets()

const path = () => `/v1/committees/${project}/${epoch}`
const read = async () => {
  const response = await client().get(path())
  return { status: response.status, etag: response.headers.get('etag'), body: await response.json() }
}
const rows = () => scalarOf<number>('SELECT count(*) FROM committee_set_attestations')
const filed = () => scalarOf<number>('SELECT filed FROM committee_sets')
const { unbonding_secs } = defaultNetworkParams
const endsAt = () => scalarOf<number>('SELECT (epoch + 1) * epoch_secs FROM committee_sets')

/** A step over some bindings, as of when the set is due. */
async function step({ DB = env.DB, MODULES = env.MODULES } = {}): Promise<boolean> {
  const db = openDatabase(DB)
  const sets = new CommitteeSetStore(db, MODULES, defaultNetworkParams)
  return new FiledAttestations(db).step(sets, (await endsAt())!)
}

let validators: (TestNode & { host: string })[]
beforeEach(async () => {
  validators = []
  await happen({})
  for (let i = 0; i < 4; i++) validators.push(await addValidator(i))
  expect(await advance()).toMatchObject({ open: 0 })
})

describe('the attestations of a set', () => {
  test('leave the database once no offence of the epoch can be proven any more, and are answered as before', async () => {
    const before = await read()
    expect(before).toMatchObject({ status: 200, body: { valid: true } })
    const kept = await rows()
    expect(kept).toBeGreaterThanOrEqual(3)
    const archivist = env.ARCHIVIST.getByName('rounds')
    const runAt = async (time: number) => {
      vi.setSystemTime(time * 1000)
      await archivist.wake()
      await runDurableObjectAlarm(archivist)
    }
    await runAt((await endsAt())! + unbonding_secs - 1)
    expect(await rows()).toBe(kept)
    await runAt((await endsAt())! + unbonding_secs + 1)
    expect([await rows(), await filed()]).toEqual([0, kept])
    expect(await read()).toEqual(before)
    vi.setSystemTime(now * 1000)
  })

  test('that come after that are answered with those that are filed, and leave no rows', async () => {
    await step()
    const before = await read()
    const validator = validators[0]!
    const posted = await validator.call(
      'POST',
      `/v1/nodes/committee-sets/${project}/${epoch}`,
      attest(validator, await readSet()),
    )
    expect([posted.status, await posted.json()]).toEqual([200, before.body])
    await attestAs(await addValidator(7))
    expect(await rows()).toBe(0)
    expect(await read()).toEqual(before)
  })

  test('are in the database or in the bucket, wherever the hub stops', async () => {
    const before = await read()
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    for (const carriedOut of [false, true])
      for (let statement = 1; (await filed()) === null && statement < 10; statement++) {
        const DB = failingDatabase((_, at) => at >= statement, { carriedOut })
        await step({ DB }).catch(() => {})
        expect(await read()).toEqual(before)
      }
    logged.mockRestore()
    await step()
    expect([await rows(), await step()]).toEqual([0, false])
    expect(await read()).toEqual(before)
  })

  test('stay in the database if the bucket does not have what was written', async () => {
    const kept = await rows()
    const get = async (key: string) =>
      key.split('/').length > 2 ? { arrayBuffer: async () => new ArrayBuffer(2) } : env.MODULES.get(key)
    const MODULES = { put: env.MODULES.put.bind(env.MODULES), get } as unknown as R2Bucket
    await expect(step({ MODULES })).rejects.toThrow('is not as it was written')
    expect([await rows(), await filed()]).toEqual([kept, null])
  })

  test('to which another one comes meanwhile are filed with it', async () => {
    const late = await addValidator(7)
    const kept = (await rows())!
    const put = async (...given: Parameters<R2Bucket['put']>) => {
      await attestAs(late)
      return env.MODULES.put(...given)
    }
    const MODULES = { put, get: env.MODULES.get.bind(env.MODULES) } as unknown as R2Bucket
    await step({ MODULES })
    expect([await rows(), await filed()]).toEqual([kept + 1, null])
    await step()
    expect([await rows(), await filed()]).toEqual([0, kept + 1])
  })

  test('that are to be moved are found without reading other sets', async () => {
    const [plan] = await rowsOf<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT project_id, epoch FROM committee_sets WHERE attested_at IS NOT NULL AND filed IS NULL
        AND (epoch + 1) * epoch_secs <= 7 ORDER BY (epoch + 1) * epoch_secs LIMIT 20`,
    )
    expect(plan?.detail).toContain('committee_sets_to_file')
  })
})
