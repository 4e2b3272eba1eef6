import type { Address, Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { type PlanTerms, planContracts } from '../contracts/creations.ts'
import type { ContractAddresses } from '../contracts/deploy-options.ts'
import { projectRegistryAbi } from '../contracts/generated/contracts.ts'
import { callNode, RpcError } from '../contracts/json-rpc.ts'
import { findDifferences } from '../contracts/verify.ts'
import { zeroAddress } from '../protocol/encoding/index.ts'
import { networkParamsOf, profileStrings, resolveProfile } from '../protocol/identity/index.ts'
import { reasonOf } from '../sdk/client.ts'
import type { Environment } from './environment.ts'
import { chainIdOf } from './hub-settings.ts'

/**
 * The differences between the chain and the environment: another chain, contracts that are not the network's, roles or gas
 * that the relayer lacks. Each problem says what to do.
 */
export async function chainProblems(environment: Environment, rpcUrls: readonly string[]): Promise<string[]> {
  if (rpcUrls.length === 0)
    return [
      'chain.rpc_urls: no node of the chain is named: name nodes, or set CHAIN_RPC_URL in the environment',
    ]
  const answers = await Promise.all(rpcUrls.map((url) => problemsAt(environment, url)))
  return [...new Set(answers.flat())]
}

async function problemsAt(environment: Environment, rpcUrl: string): Promise<string[]> {
  const { host } = new URL(rpcUrl)
  const expected = chainIdOf(environment)
  try {
    const [chainId] = await callNode(rpcUrl, [['eth_chainId']])
    if (Number(chainId) !== expected)
      return [
        `chain.rpc_urls: ${host} is a node of chain ${Number(chainId)}, and the profile ${environment.chain.profile} is chain ${expected}: name a node of that chain, or another profile`,
      ]
    return [
      ...(await contractProblems(environment, rpcUrl)),
      ...(await namesProblems(environment, rpcUrl)),
      ...(await balanceProblems(environment, rpcUrl)),
    ]
  } catch (error) {
    const isAway = error instanceof RpcError || (error as Error).message === 'fetch failed'
    if (!isAway) throw error
    return [`chain.rpc_urls: ${host} does not answer (${reasonOf(error as Error)}): name a node that does`]
  }
}

const profileOf = (environment: Environment) =>
  resolveProfile({ ...environment.network, chain_id: chainIdOf(environment) })

async function contractProblems(environment: Environment, rpcUrl: string): Promise<string[]> {
  const contracts = environment.chain.contracts as unknown as ContractAddresses
  const relayer = environment.relayer.toLowerCase() as Address
  // The environment does not say which other accounts have a role.
  const nobody = zeroAddress as Address
  const options: PlanTerms = {
    profile: profileOf(environment),
    params: networkParamsOf(chainIdOf(environment)),
    account: { address: relayer },
    roles: { admin: nobody, arbiter: nobody },
    faucetSupplyWei: 0n,
  }
  const planned = planContracts(options, contracts, nobody)
    .filter(({ name }) => name !== 'timelock')
    .map((contract) => ({
      ...contract,
      answers: contract.answers.filter(([name, args]) => name !== 'hasRole' || args[1] === relayer),
    }))
  return (await findDifferences(rpcUrl, planned)).map(
    (difference) => `chain.contracts: ${difference}. ${fixOf(difference)}`,
  )
}

const fixOf = (difference: string): string =>
  difference.includes('hasRole')
    ? 'Have the admin give the role to the relayer, or name the relayer that has it'
    : 'Enter what `npm run deploy:contracts` printed for this network and this version'

async function balanceProblems({ relayer }: Environment, rpcUrl: string): Promise<string[]> {
  const [balance] = await callNode(rpcUrl, [['eth_getBalance', relayer, 'latest']])
  return BigInt(balance as Hex) > 0n
    ? []
    : [`relayer: ${relayer} has nothing to pay with: send it native currency of the chain`]
}

/** Owners sign under the names that the contracts were deployed with. */
async function namesProblems(environment: Environment, rpcUrl: string): Promise<string[]> {
  const to = environment.chain.contracts.project_registry
  const data = encodeFunctionData({ abi: projectRegistryAbi, functionName: 'eip712Domain' })
  const [answer] = (await callNode(rpcUrl, [['eth_call', { to, data }, 'latest']])) as [Hex]
  if (answer === '0x') return []
  const [, name] = decodeFunctionResult({
    abi: projectRegistryAbi,
    functionName: 'eip712Domain',
    data: answer,
  })
  const expected = profileStrings(profileOf(environment)).registry_domain
  return name === expected
    ? []
    : [
        `network: the contracts are of "${name}", and the environment makes it "${expected}": enter the names that the contracts were deployed with`,
      ]
}
