import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { anvilKeys, chainProfiles, chainSettingsOf, networkParamsOf } from '../protocol/identity/index.ts'
import { chainsTable } from './chains-table.ts'
import { missingMembers, readEnvironment } from './environment.ts'
import { environmentProblems } from './hub-settings.ts'
import { planOf, planText } from './plan.ts'
import { settingsPage } from './settings-page.ts'
import { completeEnvironment } from './testing/environments.ts'
import { queueProblems } from './wrangler-config.ts'

const example = () => readEnvironment('deploy/example.toml')
const withSettings = (settings: Record<string, string>) => completeEnvironment({ settings })

describe('the file of an environment', () => {
  test('of the example lacks only the values that the operator must provide', () => {
    expect(missingMembers(example()).map(([member]) => member)).toEqual([
      ...['account_id', 'domain', 'operators', 'relayer', 'chain.rpc_urls', 'chain.start_block'],
      'chain.contracts (token, faucet, project_registry, vault_factory, vault_implementation, staking, treasury)',
    ])
  })

  test('is refused, and the error names every unknown or invalid member', () => {
    const file = path.join(tmpdir(), `environment-${process.pid}.toml`)
    writeFileSync(file, 'name = "Hub!"\ncolour = "red"\n[chain]\nprofile = "moon"\n')
    expect(() => readEnvironment(file)).toThrow(/name: must be[\s\S]*chain\.profile: [\s\S]*colour/)
    const wrong = [
      ['account_id', '"hub"', 'must be the 32 hex digits'],
      ['domain', '"https://hub.example.org/"', 'must be a host alone'],
      ['operators', '["0x12"]', 'must be an address'],
      ['relayer', '"hub"', 'must be an address'],
      ['rpc_urls', '["rpc.example.org"]', 'must be an address that begins with https://'],
      ['staking', '"0x12"', 'must be an address'],
    ] as const
    const filled = wrong.reduce(
      (text, [name, value]) => text.replace(new RegExp(`^${name} = .*`, 'm'), `${name} = ${value}`),
      readFileSync('deploy/example.toml', 'utf8'),
    )
    writeFileSync(file, filled)
    for (const [name, , problem] of wrong)
      expect(() => readEnvironment(file)).toThrow(new RegExp(`^  [\\w.]*${name}[.\\d]*: ${problem}`, 'm'))
    const mistyped = `0x${'aB'.repeat(20)}`
    for (const [name, value] of [
      ['operators', `["${mistyped}"]`],
      ['relayer', `"${mistyped}"`],
      ['staking', `"${mistyped}"`],
    ] as const) {
      const text = readFileSync('deploy/example.toml', 'utf8')
      writeFileSync(file, text.replace(new RegExp(`^${name} = .*`, 'm'), `${name} = ${value}`))
      expect(() => readEnvironment(file), name).toThrow(/must be an address with a correct checksum/)
    }
    writeFileSync(file, 'name = ')
    expect(() => readEnvironment(file)).toThrow(/is not TOML/)
    expect(() => readEnvironment('deploy/none.toml')).toThrow(/Copy deploy\/example\.toml/)
  })

  test('is accepted if it is complete', () => {
    expect(missingMembers(completeEnvironment())).toEqual([])
    expect(environmentProblems(completeEnvironment())).toEqual([])
  })

  test.each<[string, () => string[], RegExp]>([
    [
      'a host that only one machine can reach',
      () => environmentProblems(completeEnvironment({ domain: 'localhost' })),
      /BASE_URL: .*enter the https address/,
    ],
    [
      'http',
      () => environmentProblems(withSettings({ BASE_URL: 'http://hub.example.org' })),
      /BASE_URL: is http/,
    ],
    [
      'local mode',
      () => environmentProblems(withSettings({ LOCAL_NETWORK: 'true' })),
      /LOCAL_NETWORK: .*remove it/,
    ],
    [
      'a private key that is publicly known',
      () => environmentProblems(completeEnvironment(), { RELAYER_PRIVATE_KEY: anvilKeys[0]! }),
      /RELAYER_PRIVATE_KEY: .*use another/,
    ],
    [
      'an account whose private key is publicly known',
      () =>
        environmentProblems(completeEnvironment({ relayer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })),
      /relayer: 0xf39\w+ is an account of anvil, .*use an account of your own/,
    ],
    [
      'a beacon offset below the finality of the chain',
      () =>
        environmentProblems(
          completeEnvironment(),
          {},
          { ...networkParamsOf(11_155_111), beacon_offset_secs: 960 },
        ),
      /beacon_offset_secs is 960, and must be at least \d+ on sepolia: .*Raise it/,
    ],
    [
      'a queue without dead letters',
      () => queueProblems({ producers: [], consumers: [{ queue: 'actions' }] }),
      /queues: actions has no dead_letter_queue: name one/,
    ],
    [
      'dead letters that no consumer reads',
      () => queueProblems({ producers: [], consumers: [{ queue: 'actions', dead_letter_queue: 'lost' }] }),
      /queues: nobody reads lost: add a consumer/,
    ],
    [
      'a secret in git',
      () => environmentProblems(withSettings({ HUB_SECRET: 'x'.repeat(40) })),
      /HUB_SECRET: is a secret, .*set it with `secrets`/,
    ],
    [
      'a setting that does not exist',
      () => environmentProblems(withSettings({ RATE_LIMIT: '1' })),
      /RATE_LIMIT: is not a setting; docs\/settings\.md/,
    ],
    [
      'a value out of range',
      () => environmentProblems(withSettings({ RATE_LIMIT_MULTIPLIER: '0' })),
      /RATE_LIMIT_MULTIPLIER: /,
    ],
    [
      'too few confirmations',
      () => environmentProblems(withSettings({ CHAIN_CONFIRMATIONS: '2' })),
      /CHAIN_CONFIRMATIONS: is below 12/,
    ],
    [
      'a finality below that of the chain',
      () => environmentProblems(withSettings({ CHAIN_FINALITY_BLOCKS: '3' })),
      /CHAIN_FINALITY_BLOCKS: is below 96/,
    ],
  ])('is refused: %s', (_, problems, said) => {
    expect(problems().join('\n')).toMatch(said)
  })
})

test('`plan` in a clean clone without a network prints the plan, and exits with 2', () => {
  // A network namespace of its own has no network, where the machine lets a user make one.
  const offline = spawnSync('unshare', ['--map-root-user', '--net', 'true']).status === 0
  const command = [process.execPath, 'deploy/run.ts', 'plan', '--env', 'example', '--offline']
  const [program, ...args] = offline ? ['unshare', '--map-root-user', '--net', ...command] : command
  const { status, stdout, stderr } = spawnSync(program!, args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, ''])
  expect(stdout.trimEnd()).toBe(planText(planOf(example(), null)))
})

test('a plan without an account names every resource, secret, rule and role, and what is missing', () => {
  const text = planText(planOf(example(), null))
  for (const said of [
    /D1 database +hub-example +unknown/,
    /R2 bucket +hub-example-modules/,
    /R2 bucket +hub-example-rounds/,
    /R2 lifecycle rule +hub-example-rounds\/payloads\/: deleted after 30 days/,
    /Queue +hub-example-actions /,
    /Queue +hub-example-round-rows-dead-letters/,
    /Secret +COORDINATOR_SEED +unknown/,
    /Secret +ARBITER_PRIVATE_KEY +optional/,
    /Roles on the chain .*chain 11155111: minter, dripper, reviewer, proposer, poster/,
    /Missing, to be filled in before `up`\n +account_id: `npx wrangler whoami` shows it/,
  ])
    expect(text).toMatch(said)
})

test.each(chainProfiles)('a plan on $name sets the chain settings of that profile', (profile) => {
  const { chain } = completeEnvironment()
  const on = (settings: Record<string, string>) =>
    completeEnvironment({ chain: { ...chain, profile: profile.name }, settings })
  expect(environmentProblems(on({}))).toEqual([])
  expect(planOf(on({}), null).vars).toMatchObject(chainSettingsOf(profile))
  expect(planOf(on({ CHAIN_BLOCK_SECS: '7' }), null).vars.CHAIN_BLOCK_SECS).toBe('7')
})

test('docs/deploy.md contains the current table of chains', () => {
  expect(readFileSync('docs/deploy.md', 'utf8')).toContain(chainsTable())
})

test('docs/settings.md is the current page of settings', () => {
  expect(readFileSync('docs/settings.md', 'utf8'), 'npm run -s deploy -- settings > docs/settings.md').toBe(
    settingsPage(),
  )
})
