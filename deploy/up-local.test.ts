import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, findAnvil, startAnvil } from '../contracts/anvil.ts'
import { deployContracts } from '../contracts/deploy.ts'
import { anvilKeys, networkParamsOf, resolveProfile } from '../protocol/identity/index.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { completeEnvironment } from './testing/environments.ts'
import { loadedWrangler, runWorker } from './testing/loaded-wrangler.ts'
import { type KeptAccount, localConfig, persisted, uploadFolder } from './testing/local-wrangler.ts'
import { type Desk, openDesk } from './testing/operators-desk.ts'
import { RecordedAccount } from './testing/recorded-account.ts'
import { bringUp } from './up.ts'

const [deployerKey, arbiterKey, relayerKey, operatorKey] = anvilKeys as readonly Hex[] as [Hex, Hex, Hex, Hex]
const deployer = privateKeyToAccount(deployerKey)
const relayer = privateKeyToAccount(relayerKey).address

/** Minutes of one core, on a busy machine. */
const timeout = 600_000

describe.skipIf(findAnvil() === null)('up, with the local modes of wrangler and a chain of its own', () => {
  let anvil: Anvil
  let desk: Desk
  let environment: ReturnType<typeof completeEnvironment>

  beforeAll(async () => {
    anvil = await startAnvil()
    const own = ['minter', 'dripper', 'reviewer', 'proposer', 'poster'].map((role) => [role, relayer])
    const deployment = await deployContracts({
      rpcUrl: anvil.url,
      account: deployer,
      profile: resolveProfile(),
      params: networkParamsOf(31_337),
      treasury: deployer.address,
      roles: {
        admin: deployer.address,
        arbiter: privateKeyToAccount(arbiterKey).address,
        ...Object.fromEntries(own),
      },
      faucetSupplyWei: 10n ** 24n,
    })
    environment = completeEnvironment({
      name: 'hub-trial',
      relayer,
      network: {},
      operators: [privateKeyToAddress(operatorKey)],
      chain: {
        profile: 'local',
        rpc_urls: [anvil.url],
        start_block: deployment.startBlock,
        contracts: { ...deployment.contracts },
      },
      settings: { CHAIN_CONFIRMATIONS: '1', CHAIN_FINALITY_BLOCKS: '0', CHAIN_BLOCK_SECS: '0.2' },
    })
    desk = openDesk(environment, 'trial', () => workerPort(desk))
  }, timeout)
  afterAll(async () => {
    await desk?.close()
    await anvil?.stop()
  })

  const started = new Map<Desk, Promise<number>>()
  /** The port of a desk's Worker. It starts at the first connection to the domain after something was deployed. */
  function workerPort(of: Desk): Promise<number> {
    const port = started.get(of) ?? startWorker(of)
    started.set(of, port)
    return port
  }
  /** One runs at a time. */
  async function startWorker({ folder, account }: Desk): Promise<number> {
    const vars = Object.entries(account().secrets ?? {}).map(([name, value]) => `${name}="${value}"`)
    writeFileSync(path.join(folder, path.dirname(localConfig), '.dev.vars'), vars.join('\n'))
    const [config, modules, statePath] = [localConfig, uploadFolder, path.join(persisted[1]!, 'v3')].map(
      (name) => path.join(folder, name),
    ) as [string, string, string]
    return Number((await runWorker({ config, modules, statePath, cwd: folder })).port)
  }

  const shared = temporaryFolder()
  const local = async () => ({ LOCAL_WRANGLER: await loadedWrangler(), LOCAL_WRANGLER_SHARED: shared })
  const deploy = async (...args: string[]) => {
    // `up` has processes of its own, which can be killed.
    const runIt = args[0] === 'up' ? desk.run : desk.runLoaded
    return runIt(['deploy/run.ts', ...args, '--env', 'trial'], {
      ...(await local()),
      RELAYER_PRIVATE_KEY: relayerKey,
    })
  }

  const made = ({ databases, buckets, queues, rules, secrets }: KeptAccount | RecordedAccount) => ({
    ...{ databases, buckets, queues, rules },
    secrets: Object.keys(secrets ?? {}),
  })

  test(
    'killed after it migrated, deployed and divided the traffic, and run again, it has the result of an uninterrupted `up`, and `check` passes',
    async () => {
      const whole = new RecordedAccount()
      await bringUp({
        environment,
        wrangler: whole.wrangler,
        say: () => {},
        confirm: async () => true,
        commit: 'abc1234',
        given: { RELAYER_PRIVATE_KEY: relayerKey },
        check: async () => [],
      })
      // `up.test.ts` kills it after every step, without processes.
      const killsAfter = ['d1 migrations apply', 'deploy', 'versions deploy upload-1@10%']
      desk.keepAccount({ ...new RecordedAccount(), killsAfter })
      expect(await deploy('plan')).toMatchObject({ code: 0, said: expect.stringMatching(/will be/) })
      for (const step of killsAfter) {
        expect(await deploy('up', '--yes'), step).toMatchObject({ signal: 'SIGKILL' })
        expect(desk.account().killsAfter).not.toContain(step)
      }
      expect(await deploy('up', '--yes')).toMatchObject({ code: 0 })
      expect(made(desk.account())).toEqual(made(whole))
      expect(desk.account().secrets).toMatchObject({ RELAYER_PRIVATE_KEY: relayerKey })
      expect(desk.account().deployments.at(-1)?.versions.at(-1)?.percentage).toBe(100)
      expect(await deploy('check', '--contracts')).toMatchObject({ code: 0, said: 'ok    contracts\n' })
      const { code, said } = await deploy('check')
      expect([code, said]).toEqual([0, expect.stringMatching(/^ok +GET \/\n(ok .*\n)+ok +contracts\n$/)])
      expect(await deploy('plan')).toMatchObject({ code: 0, said: expect.not.stringMatching(/will be/) })
    },
    timeout,
  )

  test(
    'each line of docs/deploy.md does what the page says, starting from nothing',
    async () => {
      const page: Desk = openDesk(environment, 'trial', () => workerPort(page))
      const file = path.join(page.folder, 'deploy/testnet.toml')
      const saved = path.join(page.folder, 'testnet-secrets.json')
      page.keepAccount({ ...new RecordedAccount(), killsAfter: [] })
      const fill = (values: Record<string, unknown>) => {
        const filled = Object.entries(values).reduce(
          (text, [name, value]) =>
            text.replace(new RegExp(`^${name} = .*`, 'm'), `${name} = ${JSON.stringify(value)}`),
          readFileSync(file, 'utf8'),
        )
        writeFileSync(file, filled)
      }
      const given: string[] = []
      const env: Record<string, string> = await local()
      /** A line of the page, with values in the place of its examples. */
      const run = (line: string) => {
        const [, tool = '', rest = ''] = /^npm run -s ([\w:]+) -- (.+)$/.exec(line) ?? []
        const script = {
          deploy: 'deploy/run.ts',
          'deploy:contracts': 'contracts/deploy-network.ts',
          operator: 'tools/operator.ts',
        }[tool]!
        const values = [...given]
        const words = rest.replaceAll('0x…', () => values.shift()!).split(' ')
        return page.runLoaded(
          [
            script,
            ...words.map(
              (word) =>
                ({ 'https://rpc.example.org': anvil.url, '~/testnet-secrets.json': saved })[word] ?? word,
            ),
          ],
          env,
        )
      }
      const left = linesOf('docs/deploy.md')
      const next = (line: RegExp): string => {
        expect(left[0]).toMatch(line)
        return left.shift()!
      }

      next(/^npm ci$/)
      const [, from, to] = /^cp (\S+) (\S+)$/.exec(next(/^cp /))!
      cpSync(from!, path.join(page.folder, to!))
      expect(await run(next(/plan .*--offline$/))).toMatchObject({
        code: 2,
        said: expect.stringContaining('account_id: '),
      })
      const { account_id, domain, operators, chain, settings } = environment
      fill({ name: 'hub-testnet', account_id, domain, operators, profile: 'local', rpc_urls: chain.rpc_urls })
      appendFileSync(
        file,
        Object.entries(settings)
          .map(([name, value]) => `${name} = "${value}"\n`)
          .join(''),
      )

      next(/^npx wrangler login$/)
      const secrets = next(/secrets .*--save/)
      const [, relayer] = /RELAYER_PRIVATE_KEY {2}generated; its account is (0x\w+)/.exec(
        (await run(secrets)).said,
      )!
      const made = readFileSync(saved, 'utf8')
      expect(JSON.parse(made)).toEqual(page.account().secrets)
      fill({ relayer })
      page.keepAccount({ ...page.account(), secrets: null })
      expect(await run(secrets)).toMatchObject({ code: 0 })
      expect([readFileSync(saved, 'utf8'), page.account().secrets]).toEqual([made, JSON.parse(made)])
      await anvil.rpc('anvil_setBalance', relayer, '0xde0b6b3a7640000')

      next(/^export DEPLOYER_KEY=/)
      // Anvil's own are refused, as accounts whose keys everybody has.
      const [payer, admin, arbiter, treasury] = Array.from({ length: 4 }, () => generatePrivateKey()) as [
        Hex,
        Hex,
        Hex,
        Hex,
      ]
      env.DEPLOYER_KEY = payer
      await anvil.rpc('anvil_setBalance', privateKeyToAddress(payer), '0xde0b6b3a7640000')
      given.push(...[admin, arbiter, treasury].map((key) => privateKeyToAddress(key)), relayer!)
      const contracts = next(/^npm run -s deploy:contracts -- .* --check$/)
      expect(await run(contracts)).toMatchObject({ code: 0 })
      expect(await run(contracts.replace(' --check', ''))).toMatchObject({ code: 0 })

      expect(await run(next(/plan --env testnet$/))).toMatchObject({ code: 0 })
      expect(await run(`${next(/up --env testnet$/)} --yes`)).toMatchObject({
        code: 0,
        said: expect.stringMatching(/bookmark[\s\S]*The hub answers at https:\/\/hub\.example\.org/),
      })
      expect(await run(next(/check --env testnet$/))).toMatchObject({ code: 0 })

      next(/^export HUB_URL=.* OPERATOR_KEY=/)
      Object.assign(env, { HUB_URL: `https://${domain}`, OPERATOR_KEY: operatorKey })
      expect(await run(next(/operator -- nodes --role validator/))).toMatchObject({ code: 0, said: 'none\n' })
      const genesis = next(/operator -- validators genesis/).replaceAll('node-…', `node-${'0f'.repeat(8)}`)
      expect(await run(genesis)).toMatchObject({ code: 1, said: expect.stringMatching(/node-0f0f/) })

      expect((await run(next(/rollback --env testnet$/))).said).toContain(
        'No earlier version has ever had all traffic.',
      )
      expect((await run(next(/remove --env testnet$/))).said).toContain('Nothing was removed.')
      expect(await run(next(/backup --env testnet --key-env OPERATOR_KEY$/))).toMatchObject({
        code: 0,
        said: expect.stringMatching(
          /The backup is in backups\/hub-testnet-\S+, and in r2:hub-testnet-rounds\//,
        ),
      })
      const repair = 'repair --env testnet --since 2026-11-26T10:00:00Z --key-env OPERATOR_KEY'
      expect(await run(`npm run -s deploy -- ${repair}`)).toMatchObject({
        code: 0,
        said: expect.stringMatching(/^rounds: 0 lacks$/m),
      })
      // It needs another environment, and a loss: `chaos/restore/commands.test.ts` has both.
      next(/restore --env testnet --from r2:\S+ --key-env OPERATOR_KEY$/)
      expect(left).toEqual([])
      await page.close()
    },
    timeout,
  )
})

/** The lines that a page has its reader type. */
const linesOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) =>
    block!.trim().split('\n'),
  )
