import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { encodeEventTopics } from 'viem/utils'
import type { Anvil } from '../contracts/anvil.ts'
import type { ContractAddresses } from '../contracts/deploy-options.ts'
import { projectRegistryAbi } from '../contracts/generated/contracts.ts'
import type { RelayRequest } from '../durable-objects/relayer/types.ts'
import { domainOf, hashAction, payloadSeconds } from '../protocol/actions/index.ts'
import { deriveProjectId, resolveProfile } from '../protocol/identity/index.ts'
import { evmAddress, signEvmDigest } from '../protocol/signatures/index.ts'
import { encodeActionCall } from '../workers/actions/action-calls.ts'

const profile = resolveProfile()

export interface Registration extends RelayRequest {
  /** The id of the project on the chain, once the registration is done. */
  projectId: string
}

const fresh32 = (): string => `0x${randomBytes(32).toString('hex')}`

/**
 * The first project of a new developer, signed: something to relay that can be done once, by anyone who
 * brings it first.
 */
export function register(contracts: ContractAddresses, over: Partial<RelayRequest> = {}): Registration {
  const key = fresh32()
  const developer = evmAddress(key)
  const message = {
    developer,
    slug: 'project',
    worker: fresh32(),
    consensusHash: fresh32(),
    manifestHash: fresh32(),
    nonce: '0',
    deadline: String(Math.floor(Date.now() / 1000) + payloadSeconds),
  }
  const digest = hashAction(domainOf(profile, contracts, 'Register'), 'Register', message)
  const signature = signEvmDigest(key, digest)
  return {
    id: digest,
    action: 'register_project',
    owner: developer,
    serializationKey: null,
    to: contracts.project_registry,
    data: encodeActionCall('register_project', { message, digest, signature, permit: null }),
    valueWei: '0',
    projectId: deriveProjectId(profile, developer, 'project'),
    ...over,
  }
}

/** The ids of all projects that were ever registered, once for each time. */
export async function registeredProjects(
  { rpc }: Pick<Anvil, 'rpc'>,
  { project_registry }: ContractAddresses,
): Promise<string[]> {
  const [topic] = encodeEventTopics({ abi: projectRegistryAbi, eventName: 'ProjectRegistered' }) as Hex[]
  const logs = await rpc<{ topics: string[] }[]>('eth_getLogs', {
    address: project_registry,
    topics: [topic],
    fromBlock: '0x0',
  })
  return logs.map(({ topics }) => topics[1] as string)
}
