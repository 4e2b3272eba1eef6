import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Address, encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anvilKeys } from '../../protocol/identity/index.ts'
import { loadedTools, runTool } from '../../testing/run-tool.ts'
import { type Anvil, startAnvil } from '../anvil.ts'
import { readDeployArguments, usage } from '../deploy-arguments.ts'
import { stakingAbi } from '../generated/contracts.ts'
import { hasAnvil } from './network.ts'
import { startRpcProxy } from './rpc-proxy.ts'

const chainId = 4_242
const account = (): Address => privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address
const key = generatePrivateKey()
const payer = privateKeyToAddress(key).toLowerCase()
const [admin, arbiter, treasury, proposer] = [account(), account(), account(), account()]
const accounts = ['--admin', admin, '--arbiter', arbiter, '--treasury', treasury]

describe('the arguments of deploy:contracts', () => {
  const required = ['--rpc', 'https://rpc.example', '--key-env', 'KEY', ...accounts]
  const read = (args: readonly string[], env: Record<string, string> = { KEY: key }) =>
    readDeployArguments(args, env)

  test('leave every role but admin and arbiter to the relayer', () => {
    expect(read([...required, '--proposer', proposer.toUpperCase().replace('0X', '0x')])).toEqual({
      rpcUrl: 'https://rpc.example',
      key,
      admin,
      arbiter,
      guardian: admin,
      treasury,
      relayer: null,
      others: { proposer },
      profile: {},
      resume: null,
      write: null,
      checkOnly: false,
    })
    expect(read(['--help'])).toBe(null)
    expect(usage).toContain('--check')
  })

  test.each([
    [['--rpc', 'ftp://x'], '--rpc must be an http or https URL'],
    [['--admin', '0x12'], '--admin must be an address'],
    [['--arbiter', `0x${'00'.repeat(20)}`], '--arbiter must be an address that is not zero'],
    [['--treasury', `0x${'aB'.repeat(20)}`], '--treasury must be an address with a correct checksum'],
    [['--relayer', 'me'], '--relayer must be an address'],
    [['--key-env', 'OTHER'], 'OTHER must hold 0x and 64 hex digits'],
    [['--profile', '[]'], '--profile must be a JSON object'],
    [['--profile', '{'], '--profile must be a JSON object'],
    [['--resume', '12'], '--resume must be a nonce and a block'],
    [['--bogus'], "Unknown option '--bogus'"],
  ])('refuse %j', (args, message) => {
    expect(() => read([...required, ...args])).toThrow(message)
  })

  test.each(['rpc', 'key-env', 'admin', 'arbiter', 'treasury'])('need --%s', (name) => {
    const at = required.indexOf(`--${name}`)
    expect(() => read(required.toSpliced(at, 2))).toThrow(`--${name} is missing`)
  })
})

describe.skipIf(!hasAnvil)('deploy:contracts', () => {
  let chain: Anvil
  beforeAll(async () => {
    chain = await startAnvil({ flags: ['--chain-id', String(chainId)] })
  })
  afterAll(() => chain?.stop())

  const runBy =
    (runner: typeof runTool) =>
    (args: readonly string[], env: Record<string, string> = { KEY: key }) => {
      const all = ['--rpc', chain.url, '--key-env', 'KEY', ...accounts, ...args]
      return runner('contracts/deploy-network.ts', all, env)
    }
  const run = runBy(loadedTools())
  const runAlone = runBy(runTool)
  const block = () => chain.rpc<Hex>('eth_blockNumber')

  test('sends nothing if the balance is too low, roles coincide or a private key is public', async () => {
    const locked = createServer((_, response) => response.writeHead(401).end())
    await new Promise<void>((listening) => locked.listen(0, '127.0.0.1', listening))
    const { port } = locked.address() as AddressInfo
    for (const [said, args, env] of [
      [/has too little to pay for the deployment/, []],
      [new RegExp(`The admin ${admin} is also the poster\\.`), ['--poster', admin]],
      [/is also the minter, dripper, reviewer/, ['--arbiter', payer]],
      [/The private keys of .* are public/, [], { KEY: anvilKeys[0]! }],
      [/The chain's id is 4242, the profile's 1\./, ['--profile', '{"chain_id":1}']],
      [/^Error: eth_chainId: 127\.0\.0\.1:\d+ answers 401\n$/, ['--rpc', `http://127.0.0.1:${port}`]],
    ] as [RegExp, string[], Record<string, string>?][])
      expect(await run(args, env)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(said) })
    locked.close()
    expect(await run(['--rpc', 'http://127.0.0.1:1'])).toEqual({
      ...{ code: 1, stdout: '', stderr: 'Error: No chain answers at the URL of --rpc.\n' },
    })
    expect((await run(['--admin', 'x'])).code).toBe(2)
    expect(await block()).toBe('0x0')
  })

  test('checks without sending, then deploys and prints the settings of the hub', async () => {
    await chain.rpc('anvil_setBalance', payer, '0xde0b6b3a7640000')
    const checked = await run(['--check'])
    expect([checked.code, checked.stdout, await block()]).toEqual([0, '', '0x0'])
    expect(checked.stderr).toContain(`chain       ${chainId}, block 0`)
    const { code, stdout, stderr } = await runAlone(['--proposer', proposer])
    expect([code, stderr]).toEqual([0, expect.stringContaining(`RELAYER_PRIVATE_KEY is the key of ${payer}`)])
    const [, token] = /^token +(0x\w+)$/m.exec(stderr) ?? []
    const begun = /^Deploying with 6 transactions\. .* add --resume 0:0 …$/m.exec(stderr)
    expect(begun).not.toBe(null)
    expect(stderr.slice(0, begun?.index)).toContain(`\ntoken                ${token}\n`)
    expect(stderr).toMatch(new RegExp(`ARBITER_PRIVATE_KEY is the key of ${arbiter}`))
    const lines = stdout.trim().split('\n')
    const settings = Object.fromEntries(lines.map((line) => /^(\w+) = '(.*)'$/.exec(line)!.slice(1)))
    expect(settings).toMatchObject({ CHAIN_RPC_URL: chain.url, CHAIN_START_BLOCK: '0' })
    expect(JSON.parse(settings.PROFILE)).toMatchObject({ chain_id: chainId, service: 'Hub' })
    const contracts = JSON.parse(settings.CHAIN_CONTRACTS)
    expect(contracts).toMatchObject({ treasury, token })
    // Everything is there: nothing is sent, and the same is said.
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'environment-')), 'testnet.toml')
    cpSync('deploy/example.toml', file)
    const resumed = await run(['--proposer', proposer, '--resume', '0:0', '--write', file])
    const [before, after] = ['deploy/example.toml', file].map((name) =>
      readFileSync(name, 'utf8').split('\n'),
    )
    expect(after!.filter((line, i) => line !== before![i])).toEqual(
      Object.entries(contracts).map(([name, address]) => `${name} = "${address}"`),
    )
    writeFileSync(file, 'start_block = 0')
    expect((await run(['--proposer', proposer, '--resume', '0:0', '--write', file])).stderr).toContain(
      '--write: the file has no line `token = …`: copy it from deploy/example.toml.',
    )
    expect([resumed.code, resumed.stdout]).toEqual([0, stdout])
    expect(resumed.stderr).toContain('Deploying with 0 transactions')
    expect((await run(['--resume', '0:0'])).stderr).toContain('staking: hasRole(')
    const hasRole = async (role: string, holder: string) => {
      const args = [keccak256(toHex(role)), holder as Address] as const
      const data = encodeFunctionData({ abi: stakingAbi, functionName: 'hasRole', args })
      return BigInt(await chain.rpc<Hex>('eth_call', { to: contracts.staking, data }, 'latest')) === 1n
    }
    expect(await hasRole('PROPOSER_ROLE', proposer)).toBe(true)
    expect(await hasRole('PROPOSER_ROLE', payer)).toBe(false)
    expect(await hasRole('ARBITER_ROLE', arbiter)).toBe(true)
  })

  test('does not deploy at other addresses than announced if another transaction uses the nonce', async () => {
    await chain.rpc('anvil_setBalance', payer, '0xde0b6b3a7640000')
    let counted = 0
    const proxy = await startRpcProxy(chain.url, async (requests, ask) => {
      const isCounting = requests.some(({ method }) => method === 'eth_getTransactionCount')
      if (isCounting && ++counted === 2) {
        const nonce = Number(await chain.rpc('eth_getTransactionCount', payer, 'latest'))
        await chain.rpc('anvil_setNonce', payer, `0x${(nonce + 1).toString(16)}`)
      }
      return ask(requests)
    })
    const { code, stdout, stderr } = await run(['--rpc', proxy.url])
    await proxy.stop()
    const [, token] = /^token +(0x\w+)$/m.exec(stderr) ?? []
    expect(stderr).toContain(`token: no code at ${token}`)
    expect([code, stdout]).toEqual([1, ''])
  })
})
