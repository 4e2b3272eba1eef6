import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Address } from 'viem'
import * as z from 'zod'
import { DeployError, type Deployment, deployContracts } from '../contracts/deploy.ts'
import type { DeployOptions } from '../contracts/deploy-options.ts'
import { sourceHash } from '../contracts/generated/contracts.ts'
import { callBatch, RpcError } from '../contracts/json-rpc.ts'
import { SendError } from '../contracts/send.ts'
import { isAddress } from '../protocol/encoding/index.ts'
import { defaultNetworkParams, type Profile } from '../protocol/identity/index.ts'
import { accounts, faucetSupplyWei, grants } from './accounts.ts'
import type { Chain } from './chain.ts'
import { StartError } from './errors.ts'
import { withStartErrors } from './state.ts'

const address = z.custom<Address>(isAddress)

/** A deployment as it is written down for the next start. */
const DeploymentRecord = z.strictObject({
  /** Hash of the block after the start block. */
  first_block: z.string(),
  made_from: z.string(),
  start_block: z.int().min(0),
  contracts: z.strictObject({
    token: address,
    faucet: address,
    project_registry: address,
    vault_factory: address,
    vault_implementation: address,
    staking: address,
    treasury: address,
  }),
  admin_timelock: address,
})
type DeploymentRecord = z.output<typeof DeploymentRecord>

/**
 * The contracts that were deployed at an earlier start.
 *
 * @param file where they were written down.
 * @returns null when this chain does not have them, or they were made from other sources or settings.
 */
export async function findDeployment(
  file: string,
  chain: Chain,
  profile: Profile,
): Promise<Deployment | null> {
  const record = readRecord(file)
  if (record === null || record.made_from !== madeFrom(chain, profile)) return null
  const { treasury: _, ...contracts } = record.contracts
  const [firstBlock, ...codes] = (await callBatch(chain.url, [
    firstBlockCall(record.start_block),
    ...[...Object.values(contracts), record.admin_timelock].map(
      (contract) => ['eth_getCode', contract, 'latest'] as const,
    ),
  ])) as [{ hash: string } | null, ...string[]]
  if (firstBlock?.hash !== record.first_block || codes.includes('0x')) return null
  return { contracts: record.contracts, adminTimelock: record.admin_timelock, startBlock: record.start_block }
}

/**
 * Deploys the contracts and gives the accounts their tokens.
 *
 * @param file where to write them down.
 * @throws {@link StartError}
 */
export async function makeDeployment(file: string, chain: Chain, profile: Profile): Promise<Deployment> {
  try {
    const deployment = await deployContracts(optionsFor(chain, profile))
    const [firstBlock] = await callBatch(chain.url, [firstBlockCall(deployment.startBlock)])
    const record: DeploymentRecord = {
      first_block: (firstBlock as { hash: string }).hash,
      made_from: madeFrom(chain, profile),
      start_block: deployment.startBlock,
      contracts: deployment.contracts,
      admin_timelock: deployment.adminTimelock,
    }
    withStartErrors(file, () => writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`))
    return deployment
  } catch (error) {
    if (error instanceof DeployError)
      throw new StartError(`The contracts cannot be deployed: ${error.message}`)
    if (error instanceof SendError || error instanceof RpcError)
      throw new StartError(
        `The contracts cannot be deployed by ${accounts.relayer.address}, who needs funds on this chain: ${error.message}`,
      )
    throw error
  }
}

/**
 * Asks for the block that tells the chain from every other. Not the start block, which is block 0 on a new chain of `--rpc`:
 * another run of anvil has another one.
 */
const firstBlockCall = (startBlock: number) =>
  ['eth_getBlockByNumber', `0x${(startBlock + 1).toString(16)}`, false] as const

const optionsFor = (chain: Chain, profile: Profile): DeployOptions => ({
  rpcUrl: chain.url,
  account: accounts.relayer,
  profile,
  params: defaultNetworkParams,
  treasury: accounts.treasury.address,
  roles: { admin: accounts.admin.address, arbiter: accounts.arbiter.address },
  faucetSupplyWei,
  grants,
})

/** Everything that makes one deployment different from another, apart from where it is. */
function madeFrom(chain: Chain, profile: Profile): string {
  const { params, treasury, roles } = optionsFor(chain, profile)
  return createHash('sha256')
    .update(JSON.stringify([sourceHash, profile, params, treasury, roles]))
    .digest('hex')
}

function readRecord(file: string): DeploymentRecord | null {
  if (!existsSync(file)) return null
  try {
    return DeploymentRecord.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}
