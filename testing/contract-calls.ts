import type { Abi, Hex } from 'viem'
import { encodeFunctionData, keccak256, toHex } from 'viem/utils'
import type { ContractAddresses } from '../contracts/deploy-options.ts'
import {
  hubTokenAbi,
  projectRegistryAbi,
  projectVaultAbi,
  stakingAbi,
  vaultFactoryAbi,
} from '../contracts/generated/contracts.ts'
import {
  deriveProjectId,
  deriveSubscriptionId,
  deriveVaultAddress,
  resolveProfile,
} from '../protocol/identity/index.ts'

export const hash = (text: string) => keccak256(toHex(text))
export const disputeSeconds = 3_600
export const graceSeconds = 900
export const epochSeconds = 3_600

export interface Call {
  to: string
  data: Hex
}

/** Everything one account that holds every role can do to three projects with a node each, in one deployment. */
export function callsOf(contracts: ContractAddresses, account: string, firstEpoch: bigint) {
  const call = (to: string, abi: Abi, functionName: string, ...args: unknown[]): Call => ({
    to,
    data: encodeFunctionData({ abi, functionName, args }),
  })
  const projectId = (who: number) => deriveProjectId(resolveProfile(), account, `project-${who}`)
  const nodeKey = (who: number) => hash(`node ${who}`)
  const subscriptionId = (who: number) => deriveSubscriptionId(projectId(who), account, nodeKey(who))
  const hashes = (who: number, version = 1) => ({
    manifestHash: hash(`manifest ${version} of ${who}`),
    consensusHash: hash(`consensus ${version} of ${who}`),
  })
  const vault = (who: number) =>
    deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId(who))
  const registry = (name: string, ...args: unknown[]) =>
    call(contracts.project_registry, projectRegistryAbi, name, ...args)
  const staking = (name: string, ...args: unknown[]) => call(contracts.staking, stakingAbi, name, ...args)
  const vaultCall = (who: number, name: string, ...args: unknown[]) =>
    call(vault(who), projectVaultAbi, name, ...args)
  const token = (name: string, ...args: unknown[]) => call(contracts.token, hubTokenAbi, name, ...args)
  return {
    projectId,
    nodeKey,
    subscriptionId,
    hashes,
    vault,
    mint: token('mint', account, 10n ** 24n),
    approve: (spender: string) => token('approve', spender, 10n ** 24n),
    register: (who: number, { manifestHash, consensusHash } = hashes(who)) =>
      registry('register', `project-${who}`, hash('worker'), consensusHash, manifestHash),
    publish: (who: number, version: number, { manifestHash, consensusHash } = hashes(who, version)) =>
      registry('publishVersion', projectId(who), version, consensusHash, manifestHash),
    list: (who: number, status: number) => registry('setListingStatus', projectId(who), status),
    bond: (who: number, amount: bigint) => staking('bond', projectId(who), nodeKey(who), amount),
    setPayout: (who: number, payout: string) => staking('setPayout', subscriptionId(who), payout),
    unbond: (who: number) => staking('unbond', subscriptionId(who)),
    proposeSlash: (who: number, evidence: Hex, amount: bigint) =>
      staking('proposeSlash', subscriptionId(who), evidence, evidence, amount, BigInt(disputeSeconds)),
    disputeSlash: (evidence: Hex) => staking('disputeSlash', evidence),
    cancelSlash: (evidence: Hex) => staking('cancelSlash', evidence),
    executeSlash: (evidence: Hex) => staking('executeSlash', evidence),
    createVault: (who: number) =>
      call(
        contracts.vault_factory,
        vaultFactoryAbi,
        'create',
        projectId(who),
        contracts.token,
        epochSeconds,
        10n ** 18n,
      ),
    fund: (who: number, amount: bigint) => vaultCall(who, 'fund', amount),
    postEpoch: (who: number, epoch: bigint, miner: bigint) =>
      vaultCall(who, 'postEpoch', firstEpoch + epoch, hash(`root ${epoch}`), hash(`receipt ${epoch}`), {
        miner,
        developer: 2n,
        treasury: 1n,
      }),
    veto: (who: number, epoch: bigint) => vaultCall(who, 'veto', firstEpoch + epoch),
    reopen: (who: number, epoch: bigint) => vaultCall(who, 'reopen', firstEpoch + epoch),
    requestWithdrawal: (who: number, amount: bigint) => vaultCall(who, 'requestWithdrawal', amount),
  }
}

export type Calls = ReturnType<typeof callsOf>
