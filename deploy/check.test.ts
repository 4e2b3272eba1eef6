import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, findAnvil, startAnvil } from '../contracts/anvil.ts'
import { type Deployment, deployContracts } from '../contracts/deploy.ts'
import { anvilKeys, networkParamsOf, resolveProfile } from '../protocol/identity/index.ts'
import { startTestHub, type TestHub } from '../testing/hub.ts'
import { chainProblems } from './chain-problems.ts'
import { checkConnected, checkHub } from './check.ts'
import type { Environment } from './environment.ts'
import { hubVars } from './hub-settings.ts'
import { completeEnvironment } from './testing/environments.ts'

const [deployerKey, arbiterKey, relayerKey] = anvilKeys as readonly Hex[] as [Hex, Hex, Hex]
const account = privateKeyToAccount(deployerKey)
const relayer = privateKeyToAccount(relayerKey).address

describe.skipIf(findAnvil() === null)('an environment, compared with its chain and its hub', () => {
  let anvil: Anvil
  let deployment: Deployment
  let hub: TestHub
  let environment: Environment
  beforeAll(async () => {
    anvil = await startAnvil()
    const roles = { admin: account.address, arbiter: privateKeyToAccount(arbiterKey).address }
    const own = Object.fromEntries(
      ['minter', 'dripper', 'reviewer', 'proposer', 'poster'].map((role) => [role, relayer]),
    )
    deployment = await deployContracts({
      rpcUrl: anvil.url,
      account,
      profile: resolveProfile(),
      params: networkParamsOf(31_337),
      treasury: account.address,
      roles: { ...roles, ...own },
      faucetSupplyWei: 10n ** 24n,
    })
    environment = completeEnvironment({
      relayer,
      network: { network: 'hub-testnet' },
      chain: {
        profile: 'local',
        rpc_urls: [anvil.url],
        start_block: deployment.startBlock,
        contracts: { ...deployment.contracts },
      },
    })
    // The address of the environment, behind which the hub is; everything else is as it is deployed.
    hub = await startTestHub(
      {
        ...hubVars(environment),
        ...{
          LOCAL_NETWORK: 'false',
          CHAIN_CONFIRMATIONS: '1',
          CHAIN_FINALITY_BLOCKS: '0',
          CHAIN_BLOCK_SECS: '0.2',
        },
        ...{ RELAYER_PRIVATE_KEY: relayerKey, COORDINATOR_SEED: `0x${'5e'.repeat(32)}` },
      },
      { files: true },
    )
  })
  afterAll(async () => {
    await hub?.stop()
    await anvil?.stop()
  })

  const here = () => hub.urls[0]!.origin
  const problemsOf = async (one: Environment) =>
    (await checkHub(one, here())).flatMap(({ what, problem }) =>
      problem === null ? [] : [`${what} ${problem}`],
    )
  const onChain = (over: Partial<Environment['chain']>, more: Partial<Environment> = {}) =>
    chainProblems(
      { ...environment, ...more, chain: { ...environment.chain, ...over } },
      over.rpc_urls ?? [anvil.url],
    )

  test('passes all checks', async () => {
    await hub.runSchedule()
    await expect.poll(() => problemsOf(environment)).toEqual([])
    expect(await chainProblems(environment, [anvil.url])).toEqual([])
  })

  test.each<[string, () => Promise<string[]>, RegExp]>([
    [
      'another chain',
      () => onChain({ profile: 'sepolia' }),
      /is a node of chain 31337, and the profile sepolia is chain 11155111/,
    ],
    ['no chain', () => onChain({ rpc_urls: ['http://127.0.0.1:9'] }), /127\.0\.0\.1:9 does not answer/],
    [
      'no contract',
      () => onChain({ contracts: { ...deployment.contracts, staking: `0x${'01'.repeat(20)}` } }),
      /staking: no code at .* Enter what `npm run deploy:contracts` printed/,
    ],
    [
      'no role',
      () => onChain({}, { relayer: `0x${'02'.repeat(20)}` }),
      /token: hasRole\(.* is false.* Have the admin give the role/,
    ],
    [
      'no gas',
      () => onChain({}, { relayer: `0x${'02'.repeat(20)}` }),
      /relayer: 0x0202\w+ has nothing to pay with: send it/,
    ],
    [
      'other names',
      () => onChain({}, { network: { service: 'Swarm' } }),
      /network: the contracts are of "Hub ProjectRegistry"/,
    ],
    [
      'another address',
      () => problemsOf({ ...environment, domain: 'other.example.org' }),
      /address is https:\/\/hub\.example\.org, and the environment says/,
    ],
    [
      'another network',
      () => problemsOf({ ...environment, network: { network: 'swarm' } }),
      /network is hub-testnet/,
    ],
  ])('is refused: %s', async (_, problems, said) => {
    expect((await problems()).join('\n')).toMatch(said)
  })

  test('is refused: a wrong clock, missing migrations or settings, no page for browsers, a hub that is away', async () => {
    const status = {
      status: 'ok',
      database: 'ok',
      module_storage: 'ok',
      queue: 'ok',
      relayer: 'ok',
      chain: null,
    }
    const answers: Record<string, unknown> = {
      '/': await (await fetch(here())).json(),
      '/v1/status': {
        ...status,
        missing: { coordinator: ['COORDINATOR_SEED'], database: ['migrations'] },
        time: Date.now() / 1000 - 90,
      },
      '/v1/openapi.json': {},
    }
    const call = async (url: string) => Response.json(answers[new URL(url).pathname])
    const saidOf = async (one: Environment, asked: typeof call) =>
      (await checkHub(one, 'https://hub.test', asked))
        .map(({ what, problem }) => `${what} ${problem}`)
        .join('\n')
    const said = await saidOf(environment, call)
    expect(said).toMatch(/clock is 90 s behind this machine: set the clock/)
    expect(said).toMatch(/migrations of this version are missing in the database: run `up` again/)
    expect(said).toMatch(/settings are incomplete: coordinator lacks COORDINATOR_SEED: set them/)
    expect(said).toMatch(
      /GET \/ of a browser answers application\/json, and not the page of the console: run/,
    )
    expect(await saidOf({ ...environment, settings: { CONSOLE: 'off' } }, call)).toMatch(
      /GET \/ of a browser null/,
    )
    const parked = async () => new Response('<p>For sale', { headers: { 'Content-Type': 'text/html' } })
    expect(await saidOf(environment, parked)).toMatch(
      /GET \/ answers text\/html: the domain leads to something else[\s\S]*openapi\.json answers text\/html[\s\S]*GET \/ of a browser answers text\/html, and not/,
    )
    for (const other of ['{}', 'null', '[1]', 'not JSON']) {
      const headers = { 'Content-Type': 'application/json' }
      const lines = await saidOf(environment, async () => new Response(other, { headers }))
      for (const path of ['/', '/v1/status'])
        expect(lines).toContain(
          `GET ${path} answers JSON that is not of a hub: the domain leads to something else`,
        )
    }
    const broken = async () =>
      new Response(new ReadableStream({ start: (stream) => stream.error(new Error('cut')) }))
    expect(await saidOf(environment, broken)).toMatch(/GET \/ does not answer \(cut\)/)
    const away = await checkHub(environment, 'http://127.0.0.1:9')
    expect(away.map(({ problem }) => problem)).toEqual(
      Array.from({ length: 4 }, () => expect.stringMatching(/does not answer/)),
    )
  })
})

test.each([
  ['no name or certificate', 'does not answer (fetch failed): check that …'],
  ['no Worker behind the domain', 'answers 530: error code: 1016'],
])('the check is repeated while the domain does not lead to the hub: %s', async (_, problem) => {
  const looks = [problem, problem, 'answers 503: The hub refuses'].map((one) => [
    { what: 'GET /', problem: one },
  ])
  let waited = 0
  const found = await checkConnected(
    async () => looks.shift()!,
    async () => ++waited,
  )
  expect([found[0]?.problem, waited]).toEqual(['answers 503: The hub refuses', 2])
  const away = await checkConnected(
    async () => [{ what: 'GET /', problem }],
    async () => ++waited,
  )
  expect([away[0]?.problem, waited]).toEqual([problem, 62])
})
