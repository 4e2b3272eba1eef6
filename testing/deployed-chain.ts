import { privateKeyToAccount } from 'viem/accounts'
import type { TestProject } from 'vitest/node'
import { type Anvil, findAnvil, startAnvil } from '../contracts/anvil.ts'
import { type Deployment, deployContracts } from '../contracts/deploy.ts'
import type { ContractAddresses, Roles } from '../contracts/deploy-options.ts'
import { anvilKeys, defaultNetworkParams, resolveProfile } from '../protocol/identity/index.ts'

/** Relays and gives tokens; it does not deploy, so its nonces begin at 0. */
export const relayerKey = anvilKeys[1]!

/** Decides about epochs and slashes. */
const arbiterKey = anvilKeys[2]!

const deployerKey = anvilKeys[0]!

export const treasury = '0x7ea5000000000000000000000000000000000000'

/**
 * Deploys the contracts of the default network.
 *
 * @param roles who holds them; the deploying account those left out, but for the faucet's, which is the relayer's.
 */
export async function deployNetwork(
  { url }: Pick<Anvil, 'url'>,
  roles: Partial<Roles> = {},
): Promise<Deployment> {
  const account = privateKeyToAccount(deployerKey)
  return deployContracts({
    rpcUrl: url,
    account,
    profile: resolveProfile(),
    params: {
      ...defaultNetworkParams,
      // Short enough that a payload signed now is still good after it.
      unbonding_secs: 600,
      dispute_window_secs_min: 60,
      // Tests count in small numbers.
      min_collateral_floor: '5',
    },
    allowShortUnbonding: true,
    treasury,
    roles: {
      admin: account.address,
      arbiter: account.address,
      dripper: privateKeyToAccount(relayerKey).address,
      ...roles,
    },
    faucetSupplyWei: 10n ** 24n,
  })
}

/** The facts about the chain for tests inside workerd, which can start no process. */
export interface DeployedChain {
  rpcUrl: string
  contracts: ContractAddresses
  startBlock: number
  /** The chain calls a block final once this many blocks follow it. */
  finalBlocks: number
  relayerKey: string
  arbiterKey: string
  /** Signed for by the node itself; may mint. The relayer reviews, proposes and posts. */
  deployer: string
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if this machine has no chain to start. */
    chain: DeployedChain | null
  }
}

/** Slots of an epoch. The chain calls blocks final when they are two epochs old, and the hub reads every block until then. */
const slots = 8

/** A chain with all contracts for the tests of one project. */
export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findAnvil() === null) {
    provide('chain', null)
    return
  }
  const anvil = await startAnvil({ flags: ['--slots-in-an-epoch', String(slots)] })
  try {
    const { contracts, startBlock } = await deployNetwork(anvil, {
      reviewer: privateKeyToAccount(relayerKey).address,
      proposer: privateKeyToAccount(relayerKey).address,
      poster: privateKeyToAccount(relayerKey).address,
      arbiter: privateKeyToAccount(arbiterKey).address,
    })
    const deployer = privateKeyToAccount(deployerKey).address.toLowerCase()
    provide('chain', {
      rpcUrl: anvil.url,
      contracts,
      startBlock,
      finalBlocks: 2 * slots + 1,
      relayerKey,
      arbiterKey,
      deployer,
    })
    return anvil.stop
  } catch (error) {
    await anvil.stop()
    throw error
  }
}
