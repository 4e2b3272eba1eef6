/** Measures what calls cost: `node contracts/test/gas.ts` writes the table of contracts/gas.md. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Hex, parseSignature } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { buildPayoutTree } from '../../protocol/earnings/index.ts'
import { deriveSubscriptionId } from '../../protocol/identity/index.ts'
import {
  by,
  bytes32,
  developer,
  eth,
  type Network,
  owner,
  params,
  startNetwork,
  stranger,
} from './network.ts'
import { domainOf, type SignedType, sign } from './typed-data.ts'
import { claim, miner, projectId, receiptHash, rowsOf, slug } from './vault/fixture.ts'

export const gasTableFile = path.join(import.meta.dirname, '../gas.md')

export interface GasRow {
  readonly call: string
  readonly gas: bigint
}

const nodeKey = bytes32(0xb2)
const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
const amount = eth(100)
const epochSecs = 3_600
const leaves = 1_000
const batchItems = 100
/** A chain whose clock does not depend on the day: signatures, and so the bytes they cost, are always the same. */
const clock = { genesis: 1_800_000_000, flags: ['--timestamp', '1800000000'] }
/** Beyond every block of a measurement, and within the week that a signature may live. */
const deadline = BigInt(clock.genesis + 500_000)

export async function measureGas(): Promise<GasRow[]> {
  const network = await startNetwork({ flags: clock.flags })
  try {
    await network.client.setBlockTimestampInterval({ interval: 1 })
    const rows = await deployments(network)
    const measure = async (call: string, sent: Promise<Hex>) => {
      const { gasUsed } = await network.mined(sent)
      rows.push({ call, gas: gasUsed })
    }
    await measureTokens(network, measure)
    await measureProjects(network, measure)
    await measureCollateral(network, measure)
    await measureSlashes(network, measure)
    await measureVault(network, measure)
    return rows
  } finally {
    await network.stop()
  }
}

export const renderGas = (rows: readonly GasRow[]): string =>
  [
    '# What calls cost',
    '',
    'Written by `node scripts/nx.mjs node contracts/test/gas.ts`, and compared with the contracts by their tests. Gas of whole transactions, optimizer at 800 runs.',
    '',
    '| call | gas |',
    '| --- | ---: |',
    ...rows.map(({ call, gas }) => `| ${call} | ${gas.toLocaleString('en-US')} |`),
    '',
  ].join('\n')

type Measure = (call: string, sent: Promise<Hex>) => Promise<void>

async function deployments({ client, addresses, adminTimelock }: Network): Promise<GasRow[]> {
  const names = new Map<string, string>([
    [addresses.token, 'HubToken'],
    [addresses.faucet, 'Faucet'],
    [addresses.project_registry, 'ProjectRegistry'],
    [addresses.vault_factory, 'VaultFactory, with the code of all vaults'],
    [addresses.staking, 'Staking'],
    [adminTimelock.address, 'AdminTimelock'],
  ])
  const rows: GasRow[] = []
  for (let blockNumber = 1n; blockNumber <= (await client.getBlockNumber()); blockNumber++) {
    const { transactions } = await client.getBlock({ blockNumber })
    for (const hash of transactions) {
      const { contractAddress, gasUsed } = await client.getTransactionReceipt({ hash })
      const name = contractAddress && names.get(contractAddress.toLowerCase())
      if (name) rows.push({ call: `deployment of ${name}`, gas: gasUsed })
    }
  }
  return rows
}

async function measureTokens({ token, faucet }: Network, measure: Measure): Promise<void> {
  await measure('token: `mint` to a new holder', token.write.mint([owner.address, eth(10_000)], by.minter))
  await measure('token: `mint` to a holder', token.write.mint([owner.address, eth(10_000)], by.minter))
  await measure('faucet: `drip`', faucet.write.drip([stranger.address, eth(1)], by.dripper))
}

/** Not `pass`, which moves a clock that is not looked at here. */
const skip = async (network: Network, seconds: bigint | number) =>
  network.passTo((await network.now()) + BigInt(seconds))

const signed = async (
  network: Network,
  account: LocalAccount,
  type: SignedType,
  fields: Record<string, unknown>,
) => {
  const message = { ...fields, deadline }
  return [message as never, await sign(account, type, domainOf(type, network.addresses), message)] as const
}

async function measureProjects(network: Network, measure: Measure): Promise<void> {
  const { registry } = network
  const own = { developer: developer.address }
  const hashes = { consensusHash: bytes32(4), manifestHash: bytes32(5) }
  const first = { ...own, slug, worker: bytes32(1), ...hashes, nonce: 0n }
  const register = await signed(network, developer, 'Register', first)
  await measure(
    'registry: `registerBySig`, first action of the developer',
    registry.write.registerBySig(register, by.stranger),
  )
  const another = ['another-slug', bytes32(1), bytes32(2), bytes32(3)] as const
  await measure('registry: `register`', registry.write.register(another, by.developer))
  const others = { consensusHash: bytes32(6), manifestHash: bytes32(7) }
  const next = { ...own, projectId, version: 2, ...others, nonce: 1n }
  const publish = await signed(network, developer, 'PublishVersion', next)
  await measure('registry: `publishVersionBySig`', registry.write.publishVersionBySig(publish, by.stranger))
  await measure('registry: `setListingStatus`', registry.write.setListingStatus([projectId, 3], by.reviewer))
}

async function measureCollateral(network: Network, measure: Measure): Promise<void> {
  const { staking, token, client } = network
  let nonce = 0n
  const order = async (type: SignedType, fields: Record<string, unknown>) =>
    signed(network, owner, type, { owner: owner.address, ...fields, nonce: nonce++ })
  const bond = async (permitNonce: bigint) => {
    const bonding = await order('Bond', { projectId, nodeKey, amount })
    const allowance = { owner: owner.address, spender: staking.address, value: amount, nonce: permitNonce }
    const [, signature] = await signed(network, owner, 'Permit', allowance)
    return [...bonding, { deadline, signature }] as const
  }
  for (const [permitNonce, which] of ['first bond of the owner', 'top-up'].entries()) {
    const bonding = await bond(BigInt(permitNonce))
    const call = `staking: \`bondBySig\` with permit, ${which}`
    await measure(call, staking.write.bondBySig(bonding, by.stranger))
  }
  const overtaken = await bond(2n)
  const { r, s, v } = parseSignature(overtaken[2].signature)
  const permit = [owner.address, staking.address, amount, deadline, Number(v), r, s] as const
  await network.mined(token.write.permit(permit, by.stranger))
  await measure(
    'staking: `bondBySig`, its permit used by somebody else before',
    staking.write.bondBySig(overtaken, by.stranger),
  )
  // Each device is one that was never bonded.
  const batch = Array.from({ length: batchItems }, (_, i) => bytes32(0x1000 + i))
  const amounts = batch.map(() => amount / BigInt(batchItems))
  const lists = { projectIds: batch.map(() => projectId), nodeKeys: batch, amounts }
  const batched = await order('BondBatch', lists)
  const value = amounts.reduce((sum, one) => sum + one, 0n)
  const allowance = { owner: owner.address, spender: staking.address, value, nonce: 3n }
  const [, permitSignature] = await signed(network, owner, 'Permit', allowance)
  const batchPermit = { deadline, signature: permitSignature }
  await measure(
    `staking: \`bondBatchBySig\` with permit, the first bonds of ${batchItems} devices`,
    staking.write.bondBatchBySig([...batched, batchPermit], by.stranger),
  )
  const payout = await order('SetPayout', { subscriptionId: id, payout: miner(1) })
  await measure('staking: `setPayoutBySig`', staking.write.setPayoutBySig(payout, by.stranger))
  // The calls until `revert` end the subscription, which the slashes need.
  const before = await client.snapshot()
  const unbond = await order('Unbond', { subscriptionId: id })
  await measure('staking: `unbondBySig`', staking.write.unbondBySig(unbond, by.stranger))
  await skip(network, params.unbonding_secs)
  const withdraw = await order('Withdraw', { subscriptionId: id })
  await measure('staking: `withdrawBySig`', staking.write.withdrawBySig(withdraw, by.stranger))
  await client.revert({ id: before })
}

async function measureSlashes(network: Network, measure: Measure): Promise<void> {
  const { staking } = network
  const windowSecs = BigInt(params.dispute_window_secs_min)
  const propose = (evidence: Hex) =>
    staking.write.proposeSlash([id, evidence, evidence, eth(1), windowSecs], by.proposer)
  await measure('staking: `proposeSlash`', propose(bytes32(1)))
  await network.mined(propose(bytes32(2)))
  await measure('staking: `disputeSlash`', staking.write.disputeSlash([bytes32(2)], by.owner))
  await measure('staking: `upholdSlash`', staking.write.upholdSlash([bytes32(2)], by.arbiter))
  await measure('staking: `cancelSlash`', staking.write.cancelSlash([bytes32(2)], by.arbiter))
  await skip(network, windowSecs + (await staking.read.DISPUTE_GRACE_SECS()))
  await measure('staking: `executeSlash`', staking.write.executeSlash([bytes32(1)], by.stranger))
}

async function measureVault(network: Network, measure: Measure): Promise<void> {
  const { factory, token, addresses } = network
  const terms = [projectId, addresses.token, epochSecs, eth(2_000)] as const
  await measure('factory: `create`', factory.write.create(terms, by.developer))
  const vault = network.vaultAt(await factory.read.vaultOf([projectId]))
  const epoch = (await network.now()) / BigInt(epochSecs)
  await skip(network, 2 * epochSecs)
  await network.give(developer.address, eth(10_000))
  await network.mined(token.write.approve([vault.address, eth(10_000)], by.developer))
  await measure('vault: `fund`, the first time', vault.write.fund([eth(5_000)], by.developer))
  await measure('vault: `fund`', vault.write.fund([eth(5_000)], by.developer))

  const payouts = Array.from({ length: leaves }, (_, i) => ({ miner: miner(i), amount: String(eth(1)) }))
  const tree = buildPayoutTree(projectId, Number(epoch), payouts)!
  const rows = rowsOf(tree, epoch)
  const totals = { miner: eth(leaves), developer: eth(30), treasury: eth(10) }
  const post = (at: bigint) => vault.write.postEpoch([at, tree.root, receiptHash, totals], by.poster)
  await measure('vault: `postEpoch`, the first', post(epoch))
  await measure('vault: `postEpoch`', post(epoch + 1n))
  await measure('vault: `veto`', vault.write.veto([epoch + 1n], by.arbiter))
  await measure('vault: `reopen`', vault.write.reopen([epoch + 1n], by.arbiter))
  await skip(network, params.vault_challenge_secs)
  const leaf = leaves.toLocaleString('en-US')
  await network.mined(vault.write.claim(...claim(rows[0]!)))
  await measure(`vault: \`claim\`, a leaf of ${leaf}`, vault.write.claim(...claim(rows[1]!)))
  const claimMany = (from: number, to: number) => vault.write.claimMany([rows.slice(from, to)], by.stranger)
  for (const [from, count] of Object.entries({ 10: 10, 100: 50, 200: 100 })) {
    const call = `vault: \`claimMany\` of ${count}, first tokens of each miner`
    await measure(call, claimMany(Number(from), Number(from) + count))
  }
  await measure('vault: `claimMany` of 100, all paid before', claimMany(200, 300))
  await measure('vault: `payFees`', vault.write.payFees([epoch], by.stranger))
  await measure('vault: `requestWithdrawal`', vault.write.requestWithdrawal([eth(1)], by.developer))
  await skip(network, await vault.read.withdrawalNoticeSecs())
  // Of hourly epochs a day has most, and each is looked at.
  await network.give(vault.address, eth(100_000))
  await network.mined(vault.write.fund([0n], by.stranger))
  await measure('vault: `withdraw`', vault.write.withdraw(by.developer))
  const from = ((await network.now()) / BigInt(epochSecs) + 2n) * BigInt(epochSecs)
  await measure('vault: `setTerms`', vault.write.setTerms([from, epochSecs, eth(1_000)], by.developer))
}

if (import.meta.main) writeFileSync(gasTableFile, renderGas(await measureGas()))
