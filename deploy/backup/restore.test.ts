import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { completeEnvironment } from '../testing/environments.ts'
import { RecordedAccount } from '../testing/recorded-account.ts'
import { resourcesOf } from '../wrangler-config.ts'
import { getBackup, putBackup } from './bucket.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'
import type { Post } from './objects.ts'
import { type RestoreOptions, restore } from './restore.ts'

const relayerKey = `0x${'07'.repeat(32)}` as const
const environment = completeEnvironment({ name: 'hub-again', relayer: privateKeyToAddress(relayerKey) })
const { objectsTag } = resourcesOf(environment)
const secrets = {
  HUB_SECRET: 'the secret of the network that was lost',
  COORDINATOR_SEED: `0x${'5e'.repeat(32)}`,
  RELAYER_PRIVATE_KEY: relayerKey,
}
const part = { object: 'direct-order', table: 'touched', rows: '[{"entry":"0x1","id":4}]' }

let account: RecordedAccount
let folder: string
let calls: unknown[][]
let said: string[]
beforeEach(async () => {
  account = new RecordedAccount()
  folder = mkdtempSync(path.join(tmpdir(), 'backup-'))
  calls = []
  said = []
  writeFileSync(path.join(folder, 'database.sql'), 'CREATE TABLE a (b);\n')
  writeFileSync(path.join(folder, 'objects.jsonl'), `${JSON.stringify(part)}\n`)
  writeFileSync(path.join(folder, 'environment.json'), '{}\n')
  await describeBackup()
})
afterEach(() => rmSync(folder, { recursive: true }))

const describeBackup = (over: Partial<Manifest> = {}) => {
  const facts = { id: 'monday', environment: 'hub-lost', begun_at: 10_000, block: 7, objects_tag: objectsTag }
  return writeManifest(folder, { ...facts, ...over })
}
const post: Post = async <T>(route: string, body: object) => {
  calls.push([route, body])
  return { written: 2, skipped: 3, failed: [], objects: [], next_cursor: null } as T
}
const run = (up: Partial<RestoreOptions['up']> = {}, isAnswering = false) =>
  restore({
    up: {
      ...{ environment, wrangler: account.wrangler, commit: 'abc1234', given: secrets },
      say: (line) => void said.push(line),
      confirm: async () => true,
      check: async (url) => {
        calls.push(['check', url])
        return []
      },
      ...up,
    },
    ...{ folder, rpcUrls: ['http://chain.test'], nowMs: 1 },
    isAnswering: async (url) => isAnswering && url === 'https://hub.example.org',
    signIn: async (url) => {
      calls.push(['sign in', url])
      return post
    },
  })
const configs = () => account.calls.filter((call) => /^(deploy|triggers deploy|versions upload) /.test(call))

describe('restore', () => {
  test('fills a new environment before it is public, and then opens it', async () => {
    account.buckets.push(...resourcesOf(environment).buckets)
    await run()
    expect(account.executed[0]).toBe('CREATE TABLE a (b);\n')
    expect(account.executed[1]).toContain("WHERE name = 'event_log'")
    const url = 'https://hub-again.account.workers.dev'
    const reason = 'Restored from monday.'
    expect(calls.slice(0, 4)).toEqual([
      ['sign in', url],
      ['/admin/v1/rounds/rebuild', { since: 10_000 - 3_600, reason, cursor: null }],
      ['/admin/v1/objects/load', { ...part, backup: 'monday' }],
      ['/admin/v1/objects/resume', { reason, cursor: null }],
    ])
    expect(said).toContainEqual(expect.stringMatching(/^3 rounds wait .* rebuild-rounds/))
    expect(calls.slice(4)).toEqual(Array(4).fill(['check', 'https://hub.example.org']))
    expect(account.secrets).toEqual(secrets)
    expect(configs().map((call) => call.split(' --')[0])).toEqual([
      'deploy',
      'versions upload',
      'triggers deploy',
    ])
    const config = JSON.parse(readFileSync('dist/deploy/hub-again.json', 'utf8'))
    expect(config).toMatchObject({ workers_dev: false, routes: [{ pattern: 'hub.example.org' }] })
    expect(config.queues.consumers.length).toBeGreaterThan(0)
    // It is in use now.
    await expect(run()).rejects.toThrow('is in use: its Worker is there')
  })

  test.each<[string, () => unknown, string]>([
    [
      'a file was changed',
      () => appendFileSync(path.join(folder, 'objects.jsonl'), '\n'),
      'objects.jsonl has the hash',
    ],
    ['a file is missing', () => rmSync(path.join(folder, 'database.sql')), 'database.sql is missing'],
    ['the backup was not finished', () => rmSync(path.join(folder, 'manifest.json')), 'is not a backup'],
    [
      'another build made it',
      () => describeBackup({ objects_tag: 'v3.1' }),
      'Check out the version that made it',
    ],
    [
      'the database has tables',
      () => {
        account.databases.push({ name: 'hub-again', uuid: 'uuid' })
        account.tables = [{ type: 'table', name: 'projects', sql: 'CREATE' }]
      },
      'is in use: its database is there',
    ],
  ])('is refused if %s', async (_, change, problem) => {
    await change()
    await expect(run()).rejects.toThrow(problem)
    expect([account.executed, configs(), calls]).toEqual([[], [], []])
  })

  test('needs the keys of all relayers with actions in the backup, and passes on optional previous keys', async () => {
    const other = `0x${'08'.repeat(32)}` as const
    const signer = privateKeyToAddress(other).toLowerCase()
    const relays = { object: `relayer 31337:${signer}`, table: 'relays', rows: '[]' }
    appendFileSync(path.join(folder, 'objects.jsonl'), `${JSON.stringify(relays)}\n`)
    await describeBackup()
    await expect(run()).rejects.toThrow(`The backup has actions of ${signer}`)
    expect(account.calls).toEqual([])

    writeFileSync(path.join(folder, 'objects.jsonl'), `${JSON.stringify(part)}\n`)
    await describeBackup()
    const given = { ...secrets, RELAYER_PREVIOUS_KEYS: other }
    await run({ given })
    expect(account.secrets).toEqual(given)
  })

  test('asks for confirmation if a hub still answers', async () => {
    await expect(run({ confirm: async () => false }, true)).rejects.toThrow(
      'Stop the hub that answers at https://hub.example.org first',
    )
    expect(account.calls).toEqual([])
    await run({}, true)
  })

  test('needs the secrets of the network, and generates none itself', async () => {
    const { HUB_SECRET, ...others } = secrets
    await expect(run({ given: others })).rejects.toThrow('HUB_SECRET')
    expect(account.calls).toEqual([])
  })
})

test.each([
  ['', 1_000_000],
  [', in parts if a file is too large', 50],
])('a backup is copied into a bucket, and out of it%s', async (_, pieceBytes) => {
  await putBackup(account.wrangler, 'hub-rounds', 'monday', folder, pieceBytes)
  const keys = [...account.objects.keys()]
  expect(keys.some((key) => key.endsWith('objects.jsonl.2'))).toBe(pieceBytes === 50)
  expect(keys.filter((key) => key.includes('manifest')).at(-1)).toBe(keys.at(-1))
  const copy = path.join(folder, 'copy')
  await getBackup(account.wrangler, 'hub-rounds', 'monday', copy, pieceBytes)
  expect(await readManifest(copy)).toEqual(await readManifest(folder))
})
