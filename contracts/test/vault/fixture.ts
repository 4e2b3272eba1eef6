import type { Address, Hex } from 'viem'
import { buildPayoutTree, type PayoutTree } from '../../../protocol/earnings/index.ts'
import { deriveProjectId } from '../../../protocol/identity/index.ts'
import { by, bytes32, developer, eth, type Network, params, profile } from '../network.ts'
import { network, useNetwork } from '../use-network.ts'

export const slug = 'tide-forecast'
export const projectId = deriveProjectId(profile, developer.address.toLowerCase(), slug)
export const hour = 3_600n
export const day = 86_400n
/** More than any epoch of these tests costs. */
export const cap = eth(100_000)
export const challengeSecs = BigInt(params.vault_challenge_secs)
export const noticeSecs = 172_800n
/** Digits only, so that the protocol's lower case and viem's checksum are one spelling. */
export const miner = (number: number): Address => `0x${'1000'.repeat(9)}${String(number).padStart(4, '0')}`
export const root = bytes32(0xabc)
export const receiptHash = bytes32(0x4ec)

/** The vault that every test of vaults calls, on a chain that {@link useVault} starts. */
export let vault: ReturnType<Network['vaultAt']>
/** The epoch of an hour that runs when the vault is opened; it and the next three are over when a test begins. */
export let epoch: bigint

/** Gives the tests of a `describe` a vault, each in the state in which it was opened. */
export function useVault(): void {
  useNetwork(async () => {
    await network.give(developer.address, eth(1_000))
    vault = await openVault(slug, network.token.address)
    await network.mined(network.token.write.approve([vault.address, eth(1_000)], by.developer))
    epoch = (await vault.read.latestTerms()).from / hour
    await network.passTo((epoch + 4n) * hour)
  })
}

export const openVault = async (name: string, token: Address, epochSecs = hour, epochCap = cap) => {
  const { registry, factory, mined } = network
  await mined(registry.write.register([name, bytes32(1), bytes32(2), bytes32(3)], by.developer))
  const id = deriveProjectId(profile, developer.address.toLowerCase(), name)
  await mined(factory.write.create([id, token, Number(epochSecs), epochCap], by.developer))
  return network.vaultAt(await factory.read.vaultOf([id]))
}
/** Opens a vault of the network's token, and puts `amount` into it. */
export const openFunded = async (name: string, epochSecs: bigint, epochCap: bigint, amount = eth(100)) => {
  const opened = await openVault(name, network.token.address, epochSecs, epochCap)
  await network.mined(network.token.write.approve([opened.address, eth(1_000)], by.developer))
  await network.mined(opened.write.fund([amount], by.developer))
  return opened
}
export const did = (sent: Promise<Hex>) => network.events(vault, sent)
export const fund = (amount = eth(100)) => did(vault.write.fund([amount], by.developer))
export const post = (
  totals: { miner: bigint; developer: bigint; treasury: bigint },
  merkleRoot: Hex = root,
  at = epoch,
) => did(vault.write.postEpoch([at, merkleRoot, receiptHash, totals], by.poster))
/** Simulates posting an epoch that pays `minerTotal` to miners. */
export const posting = (minerTotal: bigint, at = epoch, from = by.poster) =>
  vault.simulate.postEpoch([at, root, receiptHash, totals(minerTotal)], from)
export const totals = (minerTotal: bigint) => ({ miner: minerTotal, developer: eth(3), treasury: eth(1) })
/** Posts an epoch that pays the first miner 1, the second 2 and so on. */
export const postTree = async (count: number, at = epoch): Promise<PayoutTree> => {
  const payouts = Array.from({ length: count }, (_, i) => ({ miner: miner(i), amount: String(eth(i + 1)) }))
  const tree = buildPayoutTree(projectId, Number(at), payouts)!
  await post(totals(payouts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)), tree.root, at)
  return tree
}
export const rowsOf = ({ leaves }: PayoutTree, at = epoch) =>
  leaves.map(({ miner, amount, proof }) => {
    return { epoch: at, miner: miner as Address, amount: BigInt(amount), proof }
  })
export const release = () => network.pass(challengeSecs)
export const claim = (row: ReturnType<typeof rowsOf>[number]) =>
  [[row.epoch, row.miner, row.amount, row.proof], by.stranger] as const
export const claiming = (row: ReturnType<typeof rowsOf>[number]) => vault.simulate.claim(...claim(row))
