import { beforeEach, describe, expect, test } from 'vitest'
import { CommandError } from '../scripts/command/errors.ts'
import { removeAll } from './remove.ts'
import { completeEnvironment } from './testing/environments.ts'
import { RecordedAccount } from './testing/recorded-account.ts'
import { resourcesOf } from './wrangler-config.ts'

const environment = completeEnvironment({ name: 'hub-gone' })
const { buckets, queues, worker } = resourcesOf(environment)
let account: RecordedAccount
beforeEach(() => {
  account = new RecordedAccount()
  account.databases.push({ name: worker, uuid: 'uuid' })
  account.buckets.push(...buckets, 'of-somebody-else')
  account.queues.push(...queues)
  account.secrets = { HUB_SECRET: 'x' }
  account.deployments.push({
    created_on: '2026-11-01',
    annotations: {},
    versions: [{ version_id: 'v1', percentage: 100 }],
  })
})

const remove = (typed: string | null = 'hub-gone', said: string[] = []) =>
  removeAll({
    environment,
    wrangler: account.wrangler,
    say: (line) => void said.push(line),
    ask: async () => typed,
  })
const left = () => [account.databases, account.buckets, account.queues, account.secrets, account.deployments]
const nothing = [[], ['of-somebody-else'], [], null, []]

describe('remove', () => {
  test('deletes all its resources and nothing else, and lists them first', async () => {
    const said: string[] = []
    await remove('hub-gone', said)
    expect(left()).toEqual(nothing)
    for (const name of [worker, ...buckets, ...queues]) expect(said[0]).toContain(name)
    await remove(null)
  })

  test.each([
    ['another name', 'hub'],
    ['nobody', null],
  ])('deletes nothing when %s is typed', async (_, typed) => {
    const before = structuredClone(left())
    await expect(remove(typed)).rejects.toThrow('Nothing was removed.')
    expect(left()).toEqual(before)
  })

  test('adds a rule once that empties a full bucket, and deletes the bucket when it is empty', async () => {
    account.full.add(buckets[1]!)
    for (let again = 0; again < 2; again++)
      await expect(remove()).rejects.toThrow(`${buckets[1]} cannot be deleted while they are not empty`)
    expect(account.calls.filter((call) => call.includes('lifecycle add'))).toEqual([
      `r2 bucket lifecycle add ${buckets[1]} delete-everything  --expire-days 1 --force`,
    ])
    expect(account.buckets).toEqual([buckets[1], 'of-somebody-else'].sort())
    account.full.clear()
    await remove()
    expect(left()).toEqual(nothing)
  })

  test('that was interrupted at any step has the same result when it runs again', async () => {
    const steps = ['delete', 'queues delete', 'd1 delete', 'r2 bucket delete']
    for (const step of steps) {
      const call = account.calls.length
      account.fault = null
      const failing = account.wrangler
      let failed = false
      const wrangler: typeof failing = async (args, input) => {
        if (!failed && args.join(' ').startsWith(step)) {
          failed = true
          throw new CommandError('The connection was lost.')
        }
        return failing(args, input)
      }
      const options = { environment, wrangler, say: () => {}, ask: async () => 'hub-gone' }
      await expect(removeAll(options), step).rejects.toThrow('lost')
      expect(account.calls.length).toBeGreaterThan(call)
    }
    await remove()
    expect(left()).toEqual(nothing)
  })
})
