import type { Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { projectVaultAbi } from '../contracts/generated/contracts.ts'
import { callBatch, type RpcCall } from '../contracts/json-rpc.ts'
import { readSender, sendCalls } from '../contracts/send.ts'
import { epochLengths, longestEpochSecs } from '../protocol/manifest/index.ts'
import { CommandError } from '../scripts/command/errors.ts'
import { reasonOf } from './errors.ts'
import { callOf, epochCapEnd, isRefusal, type Vault } from './vault.ts'

/** How long epochs are that begin at `from` or later, and the most that one may cost. */
export interface VaultTerms {
  readonly from: number
  readonly epochSecs: number
  readonly epochCap: bigint
}

type OpenVault = Pick<Vault, 'chainId' | 'address'>

/** The block that takes an announcement comes later than the one that is known, and its time counts. */
const blockSecs = 120

/**
 * Announces terms to a vault, unless those that it was told last are the same. They begin at the time that is wanted, or at the first one after it
 * that the vault takes.
 *
 * @returns The terms that the vault has then, and whether they are new.
 * @throws {@link CommandError} when the vault takes none now, from others than its developer, or the chain refuses.
 */
export async function announceVaultTerms(
  rpcUrl: string,
  account: LocalAccount,
  vault: OpenVault,
  wanted: VaultTerms,
): Promise<{ terms: VaultTerms; isNew: boolean }> {
  const { epochSecs } = wanted
  const epochCap = wanted.epochCap < epochCapEnd ? wanted.epochCap : epochCapEnd - 1n
  try {
    const { latest, developer, now, noticeSecs } = await readVault(rpcUrl, vault)
    if (developer.toLowerCase() !== account.address.toLowerCase())
      throw new CommandError(`The vault ${vault.address} takes terms from its developer alone, ${developer}.`)
    if (latest.epochSecs === epochSecs && latest.epochCap === epochCap) return { terms: latest, isNew: false }
    const earliest = now + noticeSecs + blockSecs
    if (latest.from > now && latest.from < earliest)
      throw new CommandError(
        `The vault ${vault.address} has other terms from ${new Date(latest.from * 1000).toISOString()} on, and takes new ones only then.`,
      )
    // Terms that are replaced before they begin hide the length before them; every length divides the longest.
    const before = latest.from > now ? longestEpochSecs : latest.epochSecs
    const from = boundaryOf(before, epochSecs, Math.max(earliest, wanted.from))
    const call = callOf(vault.address, projectVaultAbi, 'setTerms', BigInt(from), epochSecs, epochCap)
    await sendCalls(rpcUrl, account, await readSender(rpcUrl, account.address), [call])
    return { terms: { from, epochSecs, epochCap }, isNew: true }
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new CommandError(`The vault ${vault.address} takes no terms: ${reasonOf(error)}`)
  }
}

/** The terms that a vault was told last, its developer, and the time of its chain. @throws {@link CommandError} where it is not open. */
export async function readVault(rpcUrl: string, { chainId, address }: OpenVault) {
  const read = (functionName: 'latestTerms' | 'summary' | 'TERMS_NOTICE_SECS'): RpcCall => [
    'eth_call',
    { to: address, data: encodeFunctionData({ abi: projectVaultAbi, functionName }) },
    'latest',
  ]
  const [chain, terms, summary, notice, block] = (await callBatch(rpcUrl, [
    ['eth_chainId'],
    read('latestTerms'),
    read('summary'),
    read('TERMS_NOTICE_SECS'),
    ['eth_getBlockByNumber', 'latest', false],
  ])) as [Hex, Hex, Hex, Hex, { timestamp: Hex }]
  if (Number(chain) !== chainId)
    throw new CommandError(`${rpcUrl} is chain ${Number(chain)}; the vault is on chain ${chainId}.`)
  // The answer of an address without code.
  if (terms === '0x')
    throw new CommandError(`The vault ${address} is not open yet, and the first funding opens it.`)
  const abi = projectVaultAbi
  const latest = decodeFunctionResult({ abi, functionName: 'latestTerms', data: terms })
  const { developer } = decodeFunctionResult({ abi, functionName: 'summary', data: summary })
  const [now, noticeSecs] = [Number(block.timestamp), Number(notice)]
  return { latest: { ...latest, from: Number(latest.from) }, developer, now, noticeSecs }
}

/** The first time, not before another, at which epochs of both lengths begin: their common multiples are lengths as well. */
function boundaryOf(one: number, other: number, notBefore: number): number {
  const common = epochLengths.find((secs) => secs % one === 0 && secs % other === 0) ?? longestEpochSecs
  return Math.ceil(notBefore / common) * common
}
