import { spawnSync } from 'node:child_process'
import { type AbiEvent, type Address, type Hex, toEventSelector } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveProfile } from '../../protocol/identity/index.ts'
import { type Anvil, AnvilError, startAnvil } from '../anvil.ts'
import { committedHashes, hashSources } from '../compile.ts'
import { DeployError, deployContracts, planDeployment } from '../deploy.ts'
import type { DeployOptions } from '../deploy-options.ts'
import * as generated from '../generated/contracts.ts'
import * as generatedEvents from '../generated/events.ts'
import { callNode } from '../json-rpc.ts'
import { isCodeOf } from '../verify.ts'
import {
  by,
  deployer,
  eth,
  hasAnvil,
  heldRoles,
  type Network,
  owner,
  params,
  profile,
  roles,
  startNetwork,
  stranger,
  treasury,
} from './network.ts'
import { refuse, startRpcProxy } from './rpc-proxy.ts'
import { refused, refusedAs, unauthorized } from './use-network.ts'

test('the committed output is compiled from the committed sources; otherwise run: node contracts/compile.ts', () => {
  const current = hashSources()
  expect(committedHashes()).toEqual([current, current])
})

/** The events that the hub indexes, in its own notation: a change here is a change of the network. */
const indexed = [
  'event ProjectRegistered(bytes32 indexed projectId, address indexed developer, string slug, bytes32 worker, bytes32 consensusHash, bytes32 manifestHash)',
  'event VersionPublished(bytes32 indexed projectId, uint32 version, bytes32 consensusHash, bytes32 manifestHash)',
  'event ListingStatusSet(bytes32 indexed projectId, uint8 status)',
  'event Bonded(bytes32 indexed subscriptionId, address indexed owner, bytes32 indexed projectId, bytes32 nodeKey, uint256 amount, uint256 collateral)',
  'event Unbonding(bytes32 indexed subscriptionId, uint64 releaseAt)',
  'event Withdrawn(bytes32 indexed subscriptionId, address indexed owner, uint256 amount)',
  'event PayoutSet(bytes32 indexed subscriptionId, address payout)',
  'event SlashProposed(bytes32 indexed evidenceHash, bytes32 indexed subscriptionId, bytes32 indexed offenceId, uint256 amount, uint64 executableAt)',
  'event SlashDisputed(bytes32 indexed evidenceHash)',
  'event SlashCancelled(bytes32 indexed evidenceHash)',
  'event SlashExecuted(bytes32 indexed evidenceHash, bytes32 indexed subscriptionId, uint256 amount)',
  'event EpochPosted(uint256 indexed epoch, bytes32 merkleRoot, bytes32 receiptHash, uint256 miner, uint256 developer, uint256 treasury, uint64 releaseAt)',
  'event Claimed(uint256 indexed epoch, address indexed miner, uint256 amount)',
  'event VaultFunded(address indexed from, uint256 amount)',
]

test('the contracts declare every event that the hub indexes, and no other event with the same topic', () => {
  const events = Object.entries(generated)
    .filter(([name]) => name.endsWith('Abi'))
    .flatMap(([, abi]) => (abi as readonly { type: string }[]).filter(({ type }) => type === 'event'))
    .map((event) => `event ${formatEvent(event as AbiEvent)}`)
  for (const event of indexed) {
    expect(events).toContain(event)
    const topic = toEventSelector(event)
    expect(new Set(events.filter((one) => toEventSelector(one) === topic))).toEqual(new Set([event]))
  }
})

test('the generated code has the correct topic for each event', () => {
  const events = Object.values(generatedEvents).flatMap((byName) => Object.values(byName))
  expect(events.map(({ topic }) => topic)).toEqual(events.map(({ abi }) => toEventSelector(abi)))
})

const formatEvent = (event: AbiEvent) =>
  `${event.name}(${event.inputs
    .map(({ type, indexed: isIndexed, name }) => `${type} ${isIndexed ? 'indexed ' : ''}${name}`)
    .join(', ')})`

/** The roles that every deployment must name. */
const separate = { admin: roles.admin, arbiter: roles.arbiter }
const optionsFor = (rpcUrl: string, over: Partial<DeployOptions> = {}): DeployOptions => ({
  rpcUrl,
  account: deployer,
  profile,
  params,
  treasury,
  roles: separate,
  faucetSupplyWei: 0n,
  ...over,
})

describe.skipIf(!hasAnvil)('deployContracts', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
  })
  afterAll(() => network?.stop())

  test('every contract knows the others and the parameters of the network', async () => {
    const { token, faucet, registry, factory, staking, addresses } = network
    expect((await factory.read.registry()).toLowerCase()).toBe(addresses.project_registry)
    expect((await factory.read.implementation()).toLowerCase()).toBe(addresses.vault_implementation)
    expect((await staking.read.token()).toLowerCase()).toBe(addresses.token)
    expect((await staking.read.treasury()).toLowerCase()).toBe(treasury)
    expect((await faucet.read.token()).toLowerCase()).toBe(addresses.token)
    expect(await staking.read.unbondingSecs()).toBe(BigInt(params.unbonding_secs))
    expect(await staking.read.disputeWindowSecsMin()).toBe(BigInt(params.dispute_window_secs_min))
    expect(await staking.read.disputeWindowSecsMax()).toBe(BigInt(params.dispute_window_secs_max))
    expect(await network.balanceOf(addresses.faucet)).toBe(eth(1_000_000))
    expect(await token.read.totalSupply()).toBe(eth(1_000_000))
    expect(await registry.read.developerOf([`0x${'00'.repeat(32)}`])).toBe(`0x${'00'.repeat(20)}`)
  })

  test('the requested accounts hold the roles, and the deployer holds none', async () => {
    const admin = `0x${'00'.repeat(32)}` as const
    for (const { contract, change } of heldRoles(network)) {
      const has = (role: Hex, account: Address) => contract.read.hasRole([role, account])
      expect([await has(...change), await has(change[0], deployer.address)]).toEqual([true, false])
      expect(await has(admin, network.adminTimelock.address)).toBe(true)
      for (const account of [roles.admin, deployer.address]) expect(await has(admin, account)).toBe(false)
    }
  })

  test('only a minter mints, and only a dripper pays out of the faucet, up to its balance', async () => {
    const { token, faucet } = network
    const one = [owner.address, 1n] as const
    await refused(token.simulate.mint(one, by.owner), unauthorized(owner.address, 'MINTER_ROLE'))
    await refused(faucet.simulate.drip(one, by.owner), unauthorized(owner.address, 'DRIPPER_ROLE'))
    expect(await network.events(faucet, faucet.write.drip([owner.address, 5n], by.dripper))).toContainEqual({
      event: 'Dripped',
      to: owner.address,
      amount: 5n,
    })
    expect(await network.balanceOf(owner.address)).toBe(5n)
    await refusedAs(
      faucet.simulate.drip([owner.address, eth(1_000_000)], by.dripper),
      'ERC20InsufficientBalance',
    )
  })

  test('a second deployment has new contracts, names its start block and grants the tokens', async () => {
    const rpcUrl = network.client.transport.url!
    const startBlock = Number(await network.client.getBlockNumber())
    const grants = [
      { to: owner.address, amountWei: 3n },
      { to: treasury, amountWei: 4n },
    ]
    const again = await deployContracts(optionsFor(rpcUrl, { grants }))
    expect(again.startBlock).toBe(startBlock)
    expect(again.contracts.token).not.toBe(network.addresses.token)
    const token = network.at(generated.hubTokenAbi, again.contracts.token)
    expect(await token.read.hasRole([await token.read.MINTER_ROLE(), deployer.address])).toBe(true)
    const guardian = await token.read.GUARDIAN_ROLE()
    expect(await token.read.hasRole([guardian, roles.admin])).toBe(true)
    expect(await token.read.hasRole([guardian, deployer.address])).toBe(false)
    expect(await token.read.balanceOf([owner.address])).toBe(3n)
    expect(await token.read.balanceOf([treasury])).toBe(4n)
  })

  test('refuses another chain, long names, forbidden grants and invalid times before it sends anything', async () => {
    const nonce = await network.client.getTransactionCount({ address: deployer.address })
    const otherChain = resolveProfile({ chain_id: 1 })
    const longName = resolveProfile({ service: 'A service with a name' })
    const short = { ...params, unbonding_secs: 173_759 }
    const refusals: [over: Partial<DeployOptions>, message: string | RegExp | Error][] = [
      [{ profile: otherChain }, new DeployError("The chain's id is 31337, the profile's 1.")],
      [{ profile: longName }, '"A service with a name ProjectRegistry" is longer than 31 bytes'],
      [
        { roles: { ...separate, minter: owner.address }, grants: [{ to: owner.address, amountWei: 1n }] },
        'only when the deploying account is the minter',
      ],
      [{ params: short }, 'unbonding_secs is 173759, and must be at least 173760'],
      [{ params: { ...short, unbonding_secs_min: 300_001 } }, 'must be at least 300001'],
      [
        { params: { ...params, settle: 400, vault_challenge_secs: 60 }, withdrawalNoticeSecs: 3_600 },
        /settle is 400[\s\S]*vault_challenge_secs is 60[\s\S]*notice of a withdrawal is 3600/,
      ],
    ]
    for (const [over, message] of refusals)
      await expect(deployContracts(optionsFor(network.client.transport.url!, over))).rejects.toThrow(message)
    expect(await network.client.getTransactionCount({ address: deployer.address })).toBe(nonce)
  })
})

describe.skipIf(!hasAnvil)('a deployment with interruptions and faults', () => {
  let chain: Anvil
  beforeAll(async () => {
    chain = await startAnvil()
  })
  afterAll(() => chain?.stop())

  const optionsOf = (over?: Partial<DeployOptions>) => optionsFor(chain.url, over)
  const transfer = () =>
    chain.rpc('eth_sendTransaction', { from: deployer.address, to: owner.address, gas: '0x5208' })

  test('continues after an interruption, at the announced addresses', async () => {
    let taken = 0
    const proxy = await startRpcProxy(chain.url, async (requests, ask) => {
      const [request] = requests
      if (request?.method === 'eth_sendRawTransaction' && ++taken > 3)
        return requests.map((one) => refuse(one, 'txpool is full'))
      return ask(requests)
    })
    const options = optionsOf({ grants: [{ to: owner.address, amountWei: 3n }] })
    const { beginning, contracts, calls } = await planDeployment(options)
    await expect(deployContracts({ ...options, rpcUrl: proxy.url })).rejects.toThrow('txpool is full')
    await proxy.stop()
    const resumed = { ...options, resume: beginning }
    expect((await planDeployment(resumed)).calls).toHaveLength(calls.length - 3)
    expect(await deployContracts(resumed)).toMatchObject({ contracts, startBlock: beginning.block })
    expect((await planDeployment(resumed)).calls).toEqual([])
    await transfer()
    await chain.rpc('evm_mine')
    await expect(planDeployment(resumed)).rejects.toThrow('so this deployment cannot be resumed')
  })

  test('does not start while transactions of the account are pending', async () => {
    await chain.rpc('evm_setAutomine', false)
    await transfer()
    await expect(planDeployment(optionsOf())).rejects.toThrow(
      `1 transactions of ${deployer.address} wait in the node's pool`,
    )
    await chain.rpc('evm_mine')
    await chain.rpc('evm_setAutomine', true)
    await planDeployment(optionsOf())
  })

  test('is compared with the chain: code, roles and parameters', async () => {
    const { beginning } = await planDeployment(optionsOf())
    await deployContracts(optionsOf())
    const another = optionsOf({
      resume: beginning,
      treasury: stranger.address,
      roles: { ...separate, proposer: owner.address },
      params: { ...params, unbonding_secs: params.unbonding_secs + 1 },
    })
    await expect(deployContracts(another)).rejects.toThrow(
      /vault_implementation: treasury.*\nstaking: hasRole.*\nstaking: treasury.*\nstaking: unbondingSecs\(\) is 259200, not 259201\ntimelock: getMinDelay/s,
    )
    const later = await planDeployment(optionsOf())
    for (const _ of later.calls) await transfer()
    // The chain answers before it has mined.
    await chain.rpc('evm_mine')
    await expect(deployContracts(optionsOf({ resume: later.beginning }))).rejects.toThrow(
      `token: no code at ${later.contracts.token}`,
    )
  })

  test('callNode sends single requests to a node without batches, and does not wait for a silent node', async () => {
    const error = { code: -32_600, message: 'batches are not supported' }
    const single = await startRpcProxy(chain.url, async (requests, ask) =>
      requests.length > 1 ? { id: 0, error } : ask(requests),
    )
    const calls = [['eth_chainId'], ['eth_blockNumber']] as const
    expect(await callNode(single.url, calls)).toEqual(['0x7a69', await chain.rpc('eth_blockNumber')])
    await single.stop()
    const silent = await startRpcProxy(chain.url, async () => null)
    await expect(callNode(silent.url, calls, 50)).rejects.toThrow('does not answer in time')
    await silent.stop()
  })

  test('isCodeOf distinguishes the code of a contract, with immutable values, from other code', async () => {
    const { contracts } = await deployContracts(optionsOf())
    const code = await chain.rpc<Hex>('eth_getCode', contracts.staking, 'latest')
    expect(isCodeOf(generated.stakingBytecode, code)).toBe(true)
    expect(isCodeOf(generated.faucetBytecode, code)).toBe(false)
    const changed = `${code.slice(0, -2)}${code.endsWith('00') ? '01' : '00'}` as Hex
    expect(isCodeOf(generated.stakingBytecode, changed)).toBe(false)
    expect(isCodeOf(generated.stakingBytecode, '0x')).toBe(false)
  })
})

describe.skipIf(!hasAnvil)('deployContracts on a chain that is not local', () => {
  test('refuses an account with a public private key in any role', async () => {
    const chainId = 4_242
    const chain = await startAnvil({ flags: ['--chain-id', String(chainId)] })
    const mine = privateKeyToAccount(generatePrivateKey())
    const other = privateKeyToAccount(generatePrivateKey()).address
    await chain.rpc('anvil_setBalance', mine.address, '0x56bc75e2d63100000')
    const elsewhere = resolveProfile({ chain_id: chainId })
    const attempt = (over: Partial<DeployOptions> = {}) => {
      const given = { account: mine, profile: elsewhere, roles: { admin: other, arbiter: other }, ...over }
      return deployContracts(optionsFor(chain.url, given))
    }
    const isPublic = (address: string) =>
      `The private keys of ${address} are public, and the chain 4242 is not a local one.`
    await expect(attempt({ account: deployer })).rejects.toThrow(isPublic(deployer.address))
    await expect(attempt({ treasury: owner.address })).rejects.toThrow(isPublic(owner.address))
    for (const role of Object.keys(roles) as (keyof typeof roles)[])
      await expect(attempt({ roles: { admin: other, arbiter: other, [role]: roles[role] } })).rejects.toThrow(
        isPublic(roles[role]),
      )
    expect(await chain.rpc('eth_blockNumber')).toBe('0x0')
    const { contracts } = await attempt()
    expect(await chain.rpc('eth_getCode', contracts.staking, 'latest')).not.toBe('0x')
    await chain.stop()
  })
})

describe.skipIf(!hasAnvil)('startAnvil', () => {
  test('chains do not share a port, and stop leaves no process', async () => {
    const chains = await Promise.all([startAnvil(), startAnvil()])
    expect(new Set(chains.map(({ port }) => port)).size).toBe(2)
    expect(await chains[0].rpc('eth_chainId')).toBe('0x7a69')
    await Promise.all(chains.map(({ stop }) => stop()))
    for (const { pid } of chains) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('says why a chain does not start', async () => {
    await expect(startAnvil({ flags: ['--no-such-flag'] })).rejects.toThrow(AnvilError)
    await expect(startAnvil({ flags: ['--no-such-flag'] })).rejects.toThrow('--no-such-flag')
    const taken = await startAnvil()
    await expect(startAnvil({ port: taken.port })).rejects.toThrow('ended at once')
    await taken.stop()
  })

  test('a chain does not outlive the process that started it', async () => {
    const script = `
      const { startAnvil } = await import(${JSON.stringify(new URL('../anvil.ts', import.meta.url).href)})
      console.log((await startAnvil()).url)
      process.exit(0)`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
    const url = String(stdout).trim()
    expect(url).toMatch(/^http:/)
    await expect.poll(() => fetch(url, { method: 'POST' }).catch(() => 'gone')).toBe('gone')
  })
})
