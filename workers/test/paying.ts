import { type Abi, encodeFunctionData, type Hex } from 'viem'
import {
  hubTokenAbi,
  projectRegistryAbi,
  projectVaultAbi,
  vaultFactoryAbi,
} from '../../contracts/generated/contracts.ts'
import { issuerTokenAbi, issuerTokenBytecode } from '../../contracts/generated/mocks.ts'
import { epochCap } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { createWallet, networkNow } from './callers.ts'
import {
  asAccount,
  chain,
  finalizeRelays,
  followChain,
  mint,
  passTime,
  readChain,
  rpc,
  send,
  sendMined,
} from './chain.ts'
import { runSchedule } from './client.ts'
import { createProject } from './epochs.ts'
import { economicsOn } from './project.ts'
import { runSql } from './tables.ts'

export const hour = 3_600
export const contracts = chain?.contracts ?? {
  token: '',
  vault_factory: '',
  vault_implementation: '',
  project_registry: '',
}

/** Lets what was sent become final on the chain, and in the index. */
export async function finalize(): Promise<void> {
  await finalizeRelays()
  await rpc('anvil_mine', `0x${(chain?.finalBlocks ?? 0).toString(16)}`)
  await followChain()
}

/** Runs the schedule, and makes the transactions that it sent final. */
export async function bringDue(): Promise<void> {
  await runSchedule()
  await finalize()
}

/** As when all pauses between two tries have passed. */
export const endPauses = () => runSql("UPDATE hub_actions SET next_attempt_at = 1 WHERE state = 'open'")

export async function bring(): Promise<void> {
  await endPauses()
  await bringDue()
}

let slugs = 0
/** A project that is registered on the chain and pays in a token; its developer does what developers do there. */
export async function createRegistered(token = contracts.token) {
  slugs += 1
  const slug = `paying-${slugs}`
  const developer = createWallet()
  const economics = economicsOn({ ...contracts, token }, developer, slug)
  const project = await createProject({ slug, economics }, developer)
  const { projectId, consensus } = project
  const { vault, daily_emission } = consensus.economics
  const transact = (to: string, abi: Abi, functionName: string, ...args: unknown[]) =>
    asAccount(developer.address, () =>
      send(developer.address, to, encodeFunctionData({ abi, functionName, args })),
    )
  const hash = `0x${'0d'.repeat(32)}`
  await transact(contracts.project_registry, projectRegistryAbi, 'register', slug, hash, hash, hash)
  return {
    ...project,
    vault,
    open: (cap = epochCap(daily_emission, hour)) =>
      transact(
        contracts.vault_factory,
        vaultFactoryAbi,
        'create',
        projectId as Hex,
        token as Hex,
        consensus.work.epoch_secs,
        cap,
      ),
    setTerms: async (from: number, cap: bigint) => {
      await transact(vault, projectVaultAbi, 'setTerms', BigInt(from), consensus.work.epoch_secs, cap)
      await readChain()
    },
    fund: async (amount: bigint) => {
      if (token === contracts.token) await mint(developer.address, amount)
      else await transfer(token, developer.address, amount)
      await transact(token, hubTokenAbi, 'approve', vault as Hex, amount)
      await transact(vault, projectVaultAbi, 'fund', amount)
      await readChain()
    },
    developer: developer.address,
  }
}

export const tokens = 10n ** 18n
export const runningEpoch = async (): Promise<number> => Math.floor((await networkNow()) / hour)

/** Lets epochs end, so that receipts of the last one are taken. */
export async function passEpochs(hours: number): Promise<void> {
  await passTime(hours * hour)
  const { settle } = defaultNetworkParams
  if ((await networkNow()) % hour < settle) await passTime(settle)
}

/** A project with an open vault, and epochs that are over. */
export async function createPaying(funds = 1_000n * tokens, { token = contracts.token, hours = 2 } = {}) {
  const project = await createRegistered(token)
  await project.open()
  if (funds > 0n) await project.fund(funds)
  await passEpochs(hours)
  return { ...project, lastEpoch: (await runningEpoch()) - 1 }
}

/** A token whose issuer, the deployer, may do more than others do. */
export async function deployIssuerToken() {
  const from = chain?.deployer
  const { contractAddress: token } = await sendMined({ from, data: issuerTokenBytecode, gas: '0x2dc6c0' })
  const call = (data: Hex) => send(from, token, data)
  return {
    token,
    refuse: (account: string, isRefused: boolean) =>
      call(
        encodeFunctionData({
          abi: issuerTokenAbi,
          functionName: 'refuse',
          args: [account as Hex, isRefused],
        }),
      ),
    burnGas: (gas: bigint) =>
      call(encodeFunctionData({ abi: issuerTokenAbi, functionName: 'burnGas', args: [gas] })),
  }
}

/** Gives tokens of the deployer's to an account. */
async function transfer(token: string, to: string, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: hubTokenAbi, functionName: 'transfer', args: [to as Hex, amount] })
  await send(chain?.deployer, token, data)
}

export const balanceOf = async (account: string, token = contracts.token) =>
  BigInt(
    await rpc<string>(
      'eth_call',
      {
        to: token,
        data: encodeFunctionData({ abi: hubTokenAbi, functionName: 'balanceOf', args: [account as Hex] }),
      },
      'latest',
    ),
  )
