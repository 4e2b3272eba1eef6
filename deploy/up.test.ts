import { privateKeyToAddress } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { CommandError } from '../scripts/command/errors.ts'
import { readAccount, readVars } from './account.ts'
import { planOf, planText } from './plan.ts'
import { completeEnvironment } from './testing/environments.ts'
import { RecordedAccount } from './testing/recorded-account.ts'
import { bringUp, type UpOptions } from './up.ts'
import { resourcesOf } from './wrangler-config.ts'

const relayerKey = `0x${'07'.repeat(32)}` as const
const environment = completeEnvironment({ name: 'hub-up', relayer: privateKeyToAddress(relayerKey) })
let account: RecordedAccount
let checked: string[]
beforeEach(() => {
  account = new RecordedAccount()
  checked = []
})

const up = (over: Partial<UpOptions> = {}) =>
  bringUp({
    environment,
    wrangler: account.wrangler,
    say: () => {},
    confirm: async () => true,
    commit: 'abc1234',
    given: { RELAYER_PRIVATE_KEY: relayerKey },
    check: async (url, headers) => {
      checked.push([url, ...Object.values(headers)].join(' '))
      return []
    },
    ...over,
  })
/** The calls that change something, in order. */
const changes = () =>
  account.calls.filter((call) =>
    /create|lifecycle add|secret bulk|apply|^deploy |versions|triggers/.test(call),
  )
const made = () => {
  const { databases, buckets, queues, rules, secrets, isMigrated } = account
  return { databases, buckets, queues, rules, secrets: Object.keys(secrets ?? {}), isMigrated }
}

describe('up', () => {
  test('creates all that the plan shows; a second run changes only the version', async () => {
    await up()
    const state = await readAccount(account.wrangler, resourcesOf(environment))
    expect(planOf(environment, state).rows.map((row) => row.state)).not.toContain('will be created')
    expect(changes().map((call) => call.replace(/ --config.*/, ''))).toEqual([
      'd1 create hub-up',
      'r2 bucket create hub-up-modules',
      'r2 bucket create hub-up-rounds',
      'r2 bucket lifecycle add hub-up-rounds delete-payloads payloads/ --expire-days 30 --force',
      ...resourcesOf(environment).queues.map((queue) => `queues create ${queue}`),
      'secret bulk --name hub-up',
      'd1 migrations apply hub-up --remote',
      'deploy',
    ])
    const first = { changes: changes().length, secrets: account.secrets }
    await up()
    expect(
      changes()
        .slice(first.changes)
        .map((call) => call.replace(/ --(config|name).*/, '')),
    ).toEqual([
      'versions upload',
      'triggers deploy',
      'versions deploy upload-1@10% hub-up-0@90%',
      'versions deploy upload-1@50% hub-up-0@50%',
      'versions deploy upload-1@100%',
    ])
    expect(account.secrets).toEqual(first.secrets)
    const [url, chosen] = ['https://hub.example.org', 'hub-up="upload-1"']
    const before = 'hub-up="hub-up-0"'
    expect(checked).toEqual([url, `${url} ${before}`, ...Array.from({ length: 3 }, () => `${url} ${chosen}`)])
  })

  test('that fails before or after any step, or is killed after it, has the same result when it runs again', async () => {
    await up()
    const whole = made()
    const ofFirst = changes().length
    await up()
    for (const [index, step] of changes().entries())
      for (const when of ['before', 'after', 'killed']) {
        account = new RecordedAccount()
        // A Worker that is there gets a new version.
        if (index >= ofFirst) await up()
        account.fault = `${when}: ${step}`
        const killed = new Promise<void>((resolve) => {
          account.onKill = resolve
        })
        if (when === 'killed') await Promise.race([killed, up().then(() => expect.fail(step))])
        else await expect(up(), step).rejects.toThrow(CommandError)
        await up()
        expect(made(), step).toEqual(whole)
        expect(account.deployments.at(-1)?.versions.at(-1)?.percentage).toBe(100)
      }
  })

  test('changes the settings that the plan shows', async () => {
    const planned = async (one = environment) => {
      const state = await readAccount(account.wrangler, resourcesOf(one))
      const running = state.version ? await readVars(account.wrangler, resourcesOf(one), state.version) : null
      return planOf(one, state, running)
    }
    const stateOf = ({ rows }: Awaited<ReturnType<typeof planned>>) =>
      rows.find(({ resource }) => resource === 'Worker')?.state
    expect(stateOf(await planned())).toBe('will be created')
    await up()
    const same = await planned()
    expect([stateOf(same), same.changes]).toEqual(['exists', []])
    const other = { ...environment, settings: { ...environment.settings, RATE_LIMIT_MULTIPLIER: '7' } }
    const differs = await planned(other)
    const before = same.vars.RATE_LIMIT_MULTIPLIER ?? 'not set'
    expect([stateOf(differs), differs.changes]).toEqual(['differs', [`RATE_LIMIT_MULTIPLIER: ${before} → 7`]])
    expect(planText(differs)).toContain(`Settings that change\n  RATE_LIMIT_MULTIPLIER: ${before} → 7`)
    await up({ environment: other })
    expect((await planned(other)).changes).toEqual([])
  })

  test('keeps what is written after a `remove` that began to empty the buckets', async () => {
    const { buckets } = resourcesOf(environment)
    account.buckets.push(...buckets)
    account.rules.push(...buckets.map((bucket) => `${bucket}/delete-everything`))
    const rowsOf = async () =>
      planOf(environment, await readAccount(account.wrangler, resourcesOf(environment))).rows
    expect(
      (await rowsOf()).filter(({ state }) => state === 'will be removed').map(({ name }) => name),
    ).toEqual(buckets.map((bucket) => `${bucket}: everything deleted after 1 day, by \`remove\``))
    await up()
    expect(account.rules).toEqual([`${buckets[1]}/delete-payloads`])
    expect((await rowsOf()).map(({ state }) => state)).not.toContain('will be removed')
  })

  test('finds its queues among others, of which wrangler lists one page at a time', async () => {
    const others = Array.from({ length: 50 }, (_, i) => `of-somebody-else-${i}`)
    const queues = resourcesOf(environment).queues
    account.queues.push(...others, queues[0]!)
    await up()
    expect(account.queues).toEqual([...others, ...queues])
    const { length } = account.calls
    await up()
    expect(account.queues).toEqual([...others, ...queues])
    const read = account.calls.slice(length).filter((call) => call.startsWith('queues'))
    expect(read).toEqual(['queues list --page 1', 'queues list --page 2', 'queues list --page 3'])
  })

  test('gives all traffic back to the previous version if the new one fails its checks', async () => {
    await up()
    for (const what of ['GET /v1/status', 'relayer']) {
      const check: UpOptions['check'] = async (_, headers) =>
        Object.values(headers)[0]?.includes('upload') ? [{ what, problem: 'is not well' }] : []
      await expect(up({ check })).rejects.toThrow(`${what} is not well`)
      expect(account.deployments.at(-1)?.versions).toEqual([{ version_id: 'hub-up-0', percentage: 100 }])
    }
  })

  test('brings up a version that mends what is wrong, unless it does not answer either', async () => {
    await up()
    const overdue = async () => [{ what: 'relayer', problem: 'is unavailable' }]
    await expect(up({ check: overdue })).rejects.toThrow(
      'The new version has all traffic. The hub still has problems:\n  relayer is unavailable',
    )
    expect(account.deployments.at(-1)?.versions).toEqual([{ version_id: 'upload-1', percentage: 100 }])
    // A hub with wrong settings tells nothing of its parts.
    const mended: UpOptions['check'] = async (_, headers) =>
      Object.values(headers)[0]?.includes('upload-1')
        ? [{ what: 'GET /v1/status', problem: 'answers 503' }]
        : overdue()
    await expect(up({ check: mended })).rejects.toThrow('The new version has all traffic.')
    expect(account.deployments.at(-1)?.versions).toEqual([{ version_id: 'upload-2', percentage: 100 }])
    const silent = async () => [{ what: 'GET /', problem: 'does not answer' }]
    await expect(up({ check: silent })).rejects.toThrow('GET / does not answer')
    expect(account.deployments.at(-1)?.versions).toEqual([{ version_id: 'upload-2', percentage: 100 }])
  })

  test('returns to the version that had all traffic, also if a run was killed while two shared it', async () => {
    await up()
    const killed = new Promise<void>((resolve) => {
      account.onKill = resolve
    })
    account.fault = `killed: versions deploy upload-1@50% hub-up-0@50% --name hub-up --message ${resourcesOf(environment).objectsTag} abc1234 --yes`
    await Promise.race([killed, up().then(() => expect.fail('It was not killed.'))])
    const check: UpOptions['check'] = async (_, headers) =>
      Object.values(headers)[0]?.includes('upload') ? [{ what: 'relayer', problem: 'is unavailable' }] : []
    await expect(up({ check })).rejects.toThrow('relayer is unavailable')
    expect(account.deployments.at(-1)?.versions).toEqual([{ version_id: 'hub-up-0', percentage: 100 }])
  })

  test('sets a secret after a version that failed its checks, without traffic for that version', async () => {
    await up()
    const check = async () => [{ what: 'GET /', problem: 'is not well' }]
    await expect(up({ check })).rejects.toThrow('GET / is not well')
    delete account.secrets!.HUB_SECRET
    await up()
    expect(account.secrets).toHaveProperty('HUB_SECRET')
    expect(account.deployments.at(-1)?.versions).toEqual([{ version_id: account.latest, percentage: 100 }])
    expect(account.deployments.flatMap(({ versions }) => versions)).not.toContainEqual({
      ...{ version_id: 'upload-1', percentage: 100 },
    })
  })

  test('does not mistake a change of secrets for a change of object classes', async () => {
    await up()
    account.deployments.push({ ...account.deployments[0]!, created_on: '2030-01-01', annotations: {} })
    await up()
    expect(account.uploads).toBe(1)
  })

  test('asks before it migrates, and names the bookmark to go back to', async () => {
    const said: string[] = []
    const refusing = up({ confirm: async () => false, say: (line) => void said.push(line) })
    await expect(refusing).rejects.toThrow('Nothing was migrated or deployed.')
    expect(said.join('\n')).toMatch(/taken back to the bookmark 00000085-/)
    expect(account.isMigrated).toBe(false)
  })

  test('prints no secret', async () => {
    const said: string[] = []
    await up({ say: (line) => void said.push(line) })
    for (const secret of Object.values(account.secrets ?? {})) {
      expect(said.join('\n')).not.toContain(secret)
      expect(account.calls.join('\n')).not.toContain(secret)
    }
  })

  test('requires the secrets that only the operator has', async () => {
    const { rpc_urls, ...chain } = environment.chain
    const secretive = { ...environment, chain }
    await expect(up({ environment: secretive })).rejects.toThrow(
      /environment variable of its name:\n +CHAIN_RPC_URL/,
    )
    await up({
      environment: secretive,
      given: { RELAYER_PRIVATE_KEY: relayerKey, CHAIN_RPC_URL: 'https://rpc.example.org/key' },
    })
    expect(account.secrets?.CHAIN_RPC_URL).toBe('https://rpc.example.org/key')
  })
})
