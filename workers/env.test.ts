import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import example from '../.env.example?raw'
import {
  anvilKeys,
  chainProfiles,
  chainSettingsOf,
  defaultNetworkParams,
  type NetworkParams,
  networkParamsOf,
} from '../protocol/identity/index.ts'
import { type Env, readSettings } from './env.ts'
import hub from './index.ts'
import { errorOf } from './test/client.ts'

const key = (byte: string) => `0x${byte.repeat(32)}`
/** A value of the example that `wrangler dev` starts with. */
const exampleOf = (name: string) => new RegExp(`^${name}="(.*)"$`, 'm').exec(example)?.[1] as string
const read = (vars: Partial<Env>) => () => readSettings({ ...env, ...vars })

describe('the keys of the settings', () => {
  test('are read as a list, in order', () => {
    const settings = read({
      RELAYER_PRIVATE_KEY: key('0a'),
      RELAYER_PREVIOUS_KEYS: `${key('0b')}, ${key('0c')}`,
    })()
    expect(settings.RELAYER_PREVIOUS_KEYS).toEqual([key('0b'), key('0c')])
    expect(settings.ARBITER_PRIVATE_KEY).toBeUndefined()
  })

  test.each<[Partial<Env>, RegExp]>([
    [{ RELAYER_PREVIOUS_KEYS: `${key('0b')},${key('0a')}` }, /contains the key of RELAYER_PRIVATE_KEY/],
    [{ RELAYER_PREVIOUS_KEYS: `${key('0b')},${key('0b')}` }, /RELAYER_PREVIOUS_KEYS/],
    [{ RELAYER_PREVIOUS_KEYS: 'a key' }, /RELAYER_PREVIOUS_KEYS\[0\]/],
    [{ ARBITER_PRIVATE_KEY: key('0a') }, /ARBITER_PRIVATE_KEY: .*the arbiter needs another key/],
    [{ ARBITER_PRIVATE_KEY: key('0b'), RELAYER_PREVIOUS_KEYS: key('0b') }, /ARBITER_PRIVATE_KEY/],
    [{ COORDINATOR_SEED: '0x0a' }, /COORDINATOR_SEED/],
  ])('are refused by name, and never shown: %#', (vars, message) => {
    const wrong = read({ RELAYER_PRIVATE_KEY: key('0a'), ...vars })
    expect(wrong).toThrow(message)
    expect(wrong).not.toThrow(/0x0[abc]/)
  })
})

test('all missing or invalid settings are named at once, and no value is shown', () => {
  const wrong = read({
    HUB_SECRET: undefined as unknown as string,
    BASE_URL: undefined as unknown as string,
    PROFILE: 'a secret that is no JSON',
    CHAIN_CONTRACTS: '{"token":"0x12"}',
    COORDINATOR_SEED: '0x0a',
  })
  for (const said of [
    /HUB_SECRET: is missing/,
    /BASE_URL: is missing/,
    /PROFILE: is not JSON/,
    /CHAIN_CONTRACTS\.token: /,
    /CHAIN_CONTRACTS\.staking: is missing/,
    /COORDINATOR_SEED: /,
  ])
    expect(wrong).toThrow(said)
  expect(wrong).not.toThrow(/0x0a|0x12|no JSON/)
})

test('a hub with invalid settings names them in its answers', async () => {
  const lacking = { ...env, HUB_SECRET: '', COORDINATOR_SEED: 'x' }
  for (const path of ['/', '/v1/status', '/v1/nothing']) {
    const ctx = createExecutionContext()
    const request = new Request(`http://localhost:8787${path}`)
    const answer = await hub.fetch(request as Request<unknown, IncomingRequestCfProperties>, lacking, ctx)
    const { status, error, message } = await errorOf(answer)
    expect([status, error]).toEqual([503, 'unavailable'])
    expect(message).toMatch(/COORDINATOR_SEED: .*HUB_SECRET: /)
  }
})

test('parameter changes that no network can use are refused with the name of their member', () => {
  const changes = (list: unknown) => read({ PARAMS_CHANGES: JSON.stringify(list) })
  const from = 1_800_000_000
  expect(changes([{ from, params: { audit_bp: 2_000 } }])).not.toThrow()
  expect(changes([{ from: from + 1, params: { audit_bp: 2_000 } }])).toThrow(/PARAMS_CHANGES\[0\]\.from: /)
  expect(changes([{ from, params: { max_skew: 1 } }])).toThrow(
    /PARAMS_CHANGES\[0\]\.params\.max_skew: is fixed/,
  )
  expect(read({ PARAMS_CHANGES: '[' })).toThrow(/PARAMS_CHANGES: is not JSON/)
})

describe('a network that others can reach', () => {
  const open = { BASE_URL: 'https://hub.example', LOCAL_NETWORK: 'false', PROFILE: '{"chain_id":11155111}' }
  const anvilKey = anvilKeys[0] as string

  test('may use keys of its own', () => {
    expect(read(open)().LOCAL_NETWORK).toBe(false)
  })

  test.each<[Partial<Env>, RegExp]>([
    [{ BASE_URL: 'http://hub.example' }, /BASE_URL: is http/],
    [{ BASE_URL: 'https://localhost:8787' }, /BASE_URL: .*a host of this machine/],
    [{ LOCAL_NETWORK: 'true' }, /LOCAL_NETWORK: .*leave LOCAL_NETWORK out/],
    [{ RELAYER_PRIVATE_KEY: anvilKey }, /RELAYER_PRIVATE_KEY: is a key of anvil/],
    [{ RELAYER_PREVIOUS_KEYS: `${key('0b')},${anvilKey}` }, /RELAYER_PREVIOUS_KEYS: is a key of anvil/],
    [{ ARBITER_PRIVATE_KEY: anvilKey }, /ARBITER_PRIVATE_KEY: is a key of anvil/],
  ])('refuses settings that only suit a single machine: %#', (vars, message) => {
    expect(read({ ...open, ...vars })).toThrow(message)
  })

  test('refuses every secret of the example', () => {
    for (const name of ['HUB_SECRET', 'COORDINATOR_SEED'])
      expect(read({ ...open, [name]: exampleOf(name) })).toThrow(new RegExp(name))
  })

  test('with the chain id of a local chain may use keys of anvil', () => {
    const PROFILE = '{"chain_id":31337}'
    expect(read({ ...open, PROFILE, RELAYER_PRIVATE_KEY: anvilKey })().LOCAL_NETWORK).toBe(false)
  })
})

test('network times that contradict each other are refused, and all of them are named', () => {
  const params = { ...defaultNetworkParams, settle: 400, vault_challenge_secs: 60 }
  expect(() => readSettings({ ...env }, params)).toThrow(/settle is 400[\s\S]*vault_challenge_secs is 60/)
  expect(readSettings({ ...env }).PROFILE.network).toBeTypeOf('string')
})

describe('finality of the chain', () => {
  const on =
    (chain_id: number, vars: Partial<Env> = {}, params?: NetworkParams) =>
    () =>
      readSettings(
        { ...env, PROFILE: JSON.stringify({ chain_id }), CHAIN_CONFIRMATIONS: '12', ...vars },
        params,
      )

  test.each([
    ['ethereum', 1],
    ['sepolia', 11_155_111],
  ])('values that are too small for %s are refused by name, with the fix', (name, id) => {
    expect(on(id, { CHAIN_CONFIRMATIONS: '11' })).toThrow(
      new RegExp(`CHAIN_CONFIRMATIONS: is below 12, the least on ${name}: raise it`),
    )
    expect(on(id, { CHAIN_FINALITY_BLOCKS: '95' })).toThrow(
      new RegExp(`CHAIN_FINALITY_BLOCKS: is below 96, the least on ${name}: leave it out`),
    )
    expect(on(id, {}, { ...networkParamsOf(id), beacon_offset_secs: 1_559 })).toThrow(
      new RegExp(`beacon_offset_secs is 1559, and must be at least 1560 on ${name}.*Raise it in`),
    )
    expect(on(id, {}, { ...networkParamsOf(id), vault_challenge_secs: 1_559 })).toThrow(
      /vault_challenge_secs is 1559, and must be at least beacon_offset_secs \(1560\)/,
    )
  })

  test.each(chainProfiles)('the values of the profile $name fit its chain', (profile) => {
    const { chainId, finality } = profile
    expect(on(chainId, chainSettingsOf(profile))().PROFILE.chain_id).toBe(chainId)
    const { beacon_offset_secs: offset, snapshot_lead_secs: lead } = networkParamsOf(chainId)
    // The last final block is up to three epochs of the chain old where finality is two behind.
    if (finality !== null) expect(offset - lead).toBeGreaterThan(3 * 32 * 12)
  })
})
