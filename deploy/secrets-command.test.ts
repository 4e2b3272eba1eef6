import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { runSecrets, type SecretsOptions } from './secrets-command.ts'
import { completeEnvironment } from './testing/environments.ts'
import { RecordedAccount } from './testing/recorded-account.ts'
import { giveTraffic } from './wrangler.ts'

const key = (byte: string) => `0x${byte.repeat(32)}`
const environment = completeEnvironment({ relayer: '' })
let account: RecordedAccount
let said: string[]
beforeEach(() => {
  account = new RecordedAccount()
  account.secrets = { HUB_SECRET: 'x', COORDINATOR_SEED: 'x', RELAYER_PRIVATE_KEY: 'x' }
  said = []
})
const secrets = (over: Partial<SecretsOptions> = {}) =>
  runSecrets({
    ...{ environment, wrangler: account.wrangler, given: {}, rotate: undefined, save: undefined },
    say: (line) => void said.push(line),
    ...over,
  })

test('each rotation of the relayer key needs the keys before it, whatever the file kept of the last one', async () => {
  const save = path.join(mkdtempSync(path.join(tmpdir(), 'secrets-')), 'secrets.json')
  const rotate = 'RELAYER_PRIVATE_KEY'
  const kept = JSON.stringify({ RELAYER_PRIVATE_KEY: key('07'), RELAYER_PREVIOUS_KEYS: '' })
  writeFileSync(save, kept)
  await expect(secrets({ rotate, save })).rejects.toThrow('give its key as RELAYER_PREVIOUS_KEYS')
  expect(readFileSync(save, 'utf8')).toBe(kept)
  await secrets({ rotate, save, given: { RELAYER_PREVIOUS_KEYS: key('07') } })
  expect(account.secrets).toMatchObject({ RELAYER_PREVIOUS_KEYS: key('07') })
})

test('says that the running Worker lacks a change of secrets, each time until it has it', async () => {
  const upload = async () => {
    await account.wrangler(['versions', 'upload', '--message', 'v3 commit'])
    await giveTraffic(account.wrangler, 'hub', [`${account.latest}@100%`], 'v3 commit')
  }
  await upload()
  const first = account.latest!
  await upload()
  await giveTraffic(account.wrangler, 'hub', [`${first}@100%`], 'v3 commit')
  await secrets()
  expect(said).toEqual(['Every secret is set.'])
  account.secrets = { COORDINATOR_SEED: 'x' }
  const lacks = { exitCode: 2, message: expect.stringContaining('The running Worker does not have') }
  await expect(secrets()).rejects.toMatchObject(lacks)
  // The relayer's key is missing, too.
  await expect(secrets()).rejects.toMatchObject(lacks)
  account.secrets = { ...account.secrets, RELAYER_PRIVATE_KEY: 'x' }
  await expect(secrets()).rejects.toMatchObject(lacks)
  await upload()
  await secrets()
  expect(said.at(-1)).toBe('Every secret is set.')
})
