import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { ContractAddresses } from '../../contracts/deploy.ts'
import { hubTokenAbi, projectVaultAbi, vaultFactoryAbi } from '../../contracts/generated/contracts.ts'
import { callBatch } from '../../contracts/json-rpc.ts'
import { readSender, sendCalls } from '../../contracts/send.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import { deriveProjectId, deriveVaultAddress } from '../../protocol/identity/index.ts'
import { deriveManifestHashes, signManifest } from '../../protocol/manifest/index.ts'
import { unwrap, unwrapIfFound } from '../../tools/client/answers.ts'
import type { Network } from '../../tools/client/network.ts'
import { signAndRelay } from '../../tools/client/relay.ts'
import type { Wallet } from '../../tools/client/sign-in.ts'
import { waitFor } from '../../tools/client/wait.ts'
import { accounts } from '../accounts.ts'
import { manifestLike, sampleSlug } from './manifest.ts'

export interface ProjectParts {
  readonly network: Network
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
  readonly developer: Wallet
  readonly operator: Wallet
}

const fundsWei = 10_000n * 10n ** 18n
/** More than any of the calls that fund a vault costs. */
const callGas = 300_000n

/**
 * Brings the sample project into the catalogue with a funded vault. What of it is there already is left as it is.
 * @returns Its id.
 */
export async function makeProject(parts: ProjectParts): Promise<string> {
  const { network, contracts, developer, operator } = parts
  const projectId = deriveProjectId(network.profile, developer.address, sampleSlug)
  const vault = deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId)
  const params = { path: { project_id: projectId } }
  if ((await unwrapIfFound(developer.client.GET('/v1/developers/me'))) === null)
    await unwrap(
      developer.client.POST('/v1/developers/me/enrollment', {
        body: { developer_type: 'individual', display_name: 'Sample developer', agreements_accepted: true },
      }),
    )
  const read = () => developer.client.GET('/v1/projects/{project_id}', { params })
  const known = await unwrapIfFound(read())
  if (known === null || known.listing_status === 'submitted') {
    await register(parts, projectId, vault)
    await waitFor(
      'the registration to be indexed',
      () => unwrap(read()),
      ({ listing_status }) => listing_status !== 'submitted',
    )
  }
  if ((await unwrap(read())).listing_status === 'pending_review')
    await unwrap(
      operator.client.POST('/admin/v1/projects/{project_id}/review', { params, body: { action: 'approve' } }),
    )
  await openVault(parts, projectId, vault as Address)
  return projectId
}

async function register(
  { network, contracts, developer }: ProjectParts,
  projectId: string,
  vault: string,
): Promise<void> {
  const { client, address, key } = developer
  const { worker, functions } = await uploadWorker(developer)
  const manifest = manifestLike(
    {
      slug: sampleSlug,
      name: 'Sample echo',
      tagline: 'Gives back what it is given',
      description: 'A project to try the network with: its function echo answers its input.',
    },
    { profile: network.profile, developer: address, worker, functions, token: contracts.token, vault },
  )
  const { register_by_sig } = await unwrap(
    client.POST('/v1/developers/projects', {
      // The types of openapi-fetch want a member left out that can only be null, as the verifier.
      body: { manifest: manifest as never, sig_type: 'eip191', signature: signManifest(key, manifest) },
    }),
  )
  const { consensus_hash, manifest_hash } = deriveManifestHashes(network.profile, manifest)
  const wanted = {
    developer: address,
    slug: sampleSlug,
    worker,
    consensusHash: consensus_hash,
    manifestHash: manifest_hash,
  }
  const params = { path: { project_id: projectId } }
  await signAndRelay(network, developer, register_by_sig!, wanted, (body) =>
    unwrap(client.POST('/v1/developers/projects/{project_id}/register', { params, body })),
  )
}

async function uploadWorker({ client }: Wallet) {
  const { bytes, manifestAddress } = echoArtifact('sample_echo')
  const params = { path: { address: manifestAddress } }
  const known = await unwrapIfFound(client.GET('/v1/modules/{address}', { params }))
  const body = { hbc_b64: Buffer.from(bytes).toString('base64') }
  const { functions } = known ?? (await unwrap(client.POST('/v1/modules', { body })))
  return { worker: manifestAddress, functions }
}

/** The developer's own transactions: the hub neither opens nor funds a vault. */
async function openVault(
  { rpcUrl, contracts, developer: { client } }: ProjectParts,
  projectId: string,
  vault: Address,
): Promise<void> {
  const [code] = await callBatch(rpcUrl, [['eth_getCode', vault, 'latest']])
  if (code !== '0x') return
  const { epoch_secs, epoch_cap } = await unwrap(
    client.GET('/v1/projects/{project_id}/economics', { params: { path: { project_id: projectId } } }),
  )
  const create = encodeFunctionData({
    abi: vaultFactoryAbi,
    functionName: 'create',
    args: [projectId as Hex, contracts.token, epoch_secs, BigInt(epoch_cap)],
  })
  const approve = encodeFunctionData({ abi: hubTokenAbi, functionName: 'approve', args: [vault, fundsWei] })
  const fund = encodeFunctionData({ abi: projectVaultAbi, functionName: 'fund', args: [fundsWei] })
  const { developer } = accounts
  await sendCalls(rpcUrl, developer, await readSender(rpcUrl, developer.address), [
    { to: contracts.vault_factory, data: create, gas: callGas },
    { to: contracts.token, data: approve, gas: callGas },
    { to: vault, data: fund, gas: callGas },
  ])
}
