import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { CommandError } from '../scripts/command/errors.ts'
import { rollBack } from './rollback.ts'
import { putSecrets } from './secrets.ts'
import { completeEnvironment } from './testing/environments.ts'
import { RecordedAccount } from './testing/recorded-account.ts'
import { giveTraffic, type Wrangler } from './wrangler.ts'
import { resourcesOf } from './wrangler-config.ts'
import { WranglerError } from './wrangler-error.ts'

const environment = completeEnvironment({ name: 'hub-back' })
const { objectsTag } = resourcesOf(environment)
let account: RecordedAccount
beforeEach(() => {
  account = new RecordedAccount()
})

const deployed = (at: number, message: string, ...versions: [string, number][]) =>
  account.deployments.push({
    created_on: `2026-11-0${at}`,
    annotations: { 'workers/message': message },
    versions: versions.map(([version_id, percentage]) => ({ version_id, percentage })),
  })
/** As `up` does. */
const upload = async (commit: string) => {
  const message = `${objectsTag} ${commit}`
  await account.wrangler(['versions', 'upload', '--message', message])
  await giveTraffic(account.wrangler, 'hub-back', [`${account.latest}@100%`], message)
}
const back = (over: Partial<Parameters<typeof rollBack>[0]> = {}) =>
  rollBack({
    ...{ environment, wrangler: account.wrangler, version: undefined },
    say: () => {},
    confirm: async () => true,
    check: async () => {},
    ...over,
  })
const running = () => account.deployments.at(-1)!.versions

describe('rollback', () => {
  test('gives all traffic to the previous version, and checks the hub', async () => {
    deployed(1, `${objectsTag} one`, ['v1', 100])
    deployed(2, `${objectsTag} two`, ['v2', 100])
    const checked: string[] = []
    await back({ check: async (url) => void checked.push(url) })
    expect(running()).toEqual([{ version_id: 'v1', percentage: 100 }])
    expect(checked).toEqual(['https://hub.example.org'])
    expect(account.calls.at(-1)).toContain(`--message ${objectsTag} one`)
  })

  test('gives all traffic to the version that had it before it was divided, whatever share that has', async () => {
    deployed(1, `${objectsTag} one`, ['v1', 100])
    deployed(2, `${objectsTag} two`, ['v2', 100])
    deployed(3, `${objectsTag} three`, ['v3', 50], ['v2', 50])
    await back()
    expect(running()).toEqual([{ version_id: 'v2', percentage: 100 }])
  })

  test('after an `up` that was killed goes back to the version that has most of the traffic', async () => {
    deployed(1, `${objectsTag} one`, ['v1', 100])
    await account.wrangler(['secret', 'bulk', '--name', 'hub-back'], '{"HUB_SECRET":"new"}')
    const message = `${objectsTag} three`
    await account.wrangler(['versions', 'upload', '--message', message])
    await giveTraffic(account.wrangler, 'hub-back', ['upload-2@10%', 'secrets-1@90%'], message)
    await back()
    expect(running()).toEqual([{ version_id: 'secrets-1', percentage: 100 }])
  })

  test('that passes a change of secrets is refused, and names the way to run the earlier commit', async () => {
    deployed(1, `${objectsTag} one`, ['v1', 100])
    deployed(2, `${objectsTag} two`, ['v2', 100])
    await account.wrangler(['secret', 'bulk', '--name', 'hub-back'], '{"HUB_SECRET":"new"}')
    const { length } = account.deployments
    await expect(back()).rejects.toThrow(
      `v1 (${objectsTag} one) has the secrets from before the change of 2027-01-15T08:00:00.002Z. Check out one, and run up`,
    )
    await expect(back({ version: 'v2' })).rejects.toThrow(
      `v2 (${objectsTag} two) has the secrets from before`,
    )
    expect(account.deployments).toHaveLength(length)
  })

  test('that passes a change of secrets that was made after a rollback is refused', async () => {
    await upload('one')
    await upload('two')
    await back()
    expect(await putSecrets(account.wrangler, 'hub-back', { HUB_SECRET: 'new' })).toBe(false)
    // It has the old secrets, as the one that runs, so it may have its traffic.
    await back({ version: 'upload-2' })
    await upload('four')
    const { length } = account.deployments
    await expect(back()).rejects.toThrow(
      /^upload-2 \(\S+ two\) has the secrets from before the change of .+Z\. Check out two, and run up/,
    )
    expect(account.deployments).toHaveLength(length)
  })

  test('is refused in the same words if Cloudflare knows of a change that wrangler does not list', async () => {
    await upload('one')
    await upload('two')
    const changed: Wrangler = async (args, input) => {
      if (args[1] !== 'deploy') return account.wrangler(args, input)
      throw new WranglerError(args, 'The following secrets have changed: HUB_SECRET [code: 10220]')
    }
    await expect(back({ wrangler: changed })).rejects.toThrow(
      `upload-1 (${objectsTag} one) has the secrets from before a change. Check out one, and run up`,
    )
  })

  test('after a change of secrets goes back to a version that has the new ones', async () => {
    deployed(1, `${objectsTag} one`, ['v1', 100])
    await account.wrangler(['secret', 'bulk', '--name', 'hub-back'], '{"HUB_SECRET":"new"}')
    deployed(3, `${objectsTag} three`, ['v3', 100])
    account.deployments.at(-1)!.created_on = '2027-11-03'
    await back()
    expect(running()).toEqual([{ version_id: 'secrets-1', percentage: 100 }])
  })

  test('accepts a named version if it has had all traffic', async () => {
    deployed(1, `${objectsTag} one`, ['v1', 100])
    deployed(2, `${objectsTag} two`, ['v2', 100])
    deployed(3, `${objectsTag} three`, ['v3', 100])
    await expect(back({ version: 'v9' })).rejects.toThrow('Versions that can have it again: v2, v1.')
    await back({ version: 'v1' })
    expect(running()).toEqual([{ version_id: 'v1', percentage: 100 }])
  })

  test.each([
    ['there is no Worker', [], 'There is no Worker hub-back.'],
    ['there is no earlier version', [`${objectsTag} one`], 'No earlier version'],
    [
      'the storage of objects has changed since',
      ['v0.1 one', `${objectsTag} two`],
      'cannot open the storage',
    ],
    [
      'the previous version was not deployed by `up`',
      ['by hand', `${objectsTag} two`],
      'cannot open the storage',
    ],
  ])('is refused if %s', async (_, messages, problem) => {
    for (const [i, message] of messages.entries()) deployed(i + 1, message, [`v${i}`, 100])
    await expect(back()).rejects.toThrow(problem)
    expect(account.calls.filter((call) => call.startsWith('versions'))).toEqual([])
  })

  test('changes nothing without confirmation', async () => {
    deployed(1, `${objectsTag} one`, ['v1', 100])
    deployed(2, `${objectsTag} two`, ['v2', 100])
    await expect(back({ confirm: async () => false })).rejects.toThrow(CommandError)
    expect(running()).toEqual([{ version_id: 'v2', percentage: 100 }])
  })
})

test('the version of objects includes the migrations of every storage', () => {
  const lists = ['durable-objects', 'workers'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(^|[/-])migrations\.ts$/.test(file) && file !== 'sql-migrations.ts')
      .map((file) => (folder === 'workers' ? `../workers/${file}` : `./${file}`)),
  )
  const source = readFileSync('durable-objects/objects-version.ts', 'utf8')
  const counted = [...source.matchAll(/from '(.+)'/g)].map(([, file]) => file)
  expect(counted.sort()).toEqual(lists.sort())
})
