import type { ContractAddresses } from '../../contracts/deploy-options.ts'
import { callBatch } from '../../contracts/json-rpc.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import { deriveProjectId, deriveVaultAddress } from '../../protocol/identity/index.ts'
import { signedManifest } from '../../scripts/hub/manifest.ts'
import type { Network } from '../../scripts/hub/network.ts'
import { readEconomics } from '../../scripts/hub/network.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import type { Wallet } from '../../scripts/hub/wallet.ts'
import { accounts } from '../accounts.ts'
import { sendDirect } from '../send-direct.ts'
import { fundVault } from '../vault.ts'
import { manifestLike, sampleSlug } from './manifest.ts'

export interface ProjectParts {
  readonly network: Network
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
  readonly developer: Wallet
  readonly operator: Wallet
}

const fundsWei = 10_000n * 10n ** 18n

/**
 * Brings the sample project into the catalogue with a funded vault. Parts that exist already are left as they are.
 * @returns Its id.
 */
export async function makeProject(parts: ProjectParts): Promise<string> {
  const { network, contracts, developer, operator } = parts
  const projectId = deriveProjectId(network.profile, developer.address, sampleSlug)
  const vault = deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId)
  const params = { path: { project_id: projectId } }
  if ((await developer.client.find('GET /v1/developers/me')) === null)
    await developer.client.call('POST /v1/developers/me/enrollment', {
      body: { developer_type: 'individual', display_name: 'Sample developer', agreements_accepted: true },
    })
  const known = await developer.client.find('GET /v1/projects/{project_id}', params)
  if (known === null || known.listing_status === 'submitted') await register(parts, vault)
  await openVault(parts, projectId, vault)
  const { listing_status } = await waitFor(
    'the registration to be indexed',
    () => developer.client.call('GET /v1/projects/{project_id}', params),
    ({ listing_status }) => listing_status !== 'submitted',
  )
  if (listing_status === 'pending_review')
    await operator.client.call('POST /admin/v1/projects/{project_id}/review', {
      ...params,
      body: { action: 'approve' },
    })
  return projectId
}

async function register({ network, rpcUrl, contracts, developer }: ProjectParts, vault: string) {
  const { client, address, key } = developer
  const { worker, functions } = await uploadWorker(developer)
  const manifest = manifestLike(
    {
      slug: sampleSlug,
      name: 'Sample echo',
      tagline: 'Returns its input',
      description: 'A project to try the network with: its function echo answers its input.',
    },
    { profile: network.profile, developer: address, worker, functions, token: contracts.token, vault },
  )
  const body = signedManifest(key, manifest)
  const { register_tx } = await client.call('POST /v1/developers/projects', { body })
  await sendDirect(rpcUrl, accounts.developer, [register_tx])
}

async function uploadWorker({ client }: Wallet) {
  const { bytes, manifestAddress } = echoArtifact('sample_echo')
  const params = { path: { address: manifestAddress } }
  const known = await client.find('GET /v1/modules/{address}', params)
  const body = { hbc_b64: Buffer.from(bytes).toString('base64') }
  const { functions } = known ?? (await client.call('POST /v1/modules', { body }))
  return { worker: manifestAddress, functions }
}

async function openVault(
  { network, rpcUrl, contracts, developer: { client } }: ProjectParts,
  projectId: string,
  address: string,
): Promise<void> {
  const [code] = await callBatch(rpcUrl, [['eth_getCode', address, 'latest']])
  if (code !== '0x') return
  const { epoch_secs, epoch_cap } = await readEconomics(client, projectId)
  const { vault_factory: factory, token } = contracts
  const { chain_id: chainId } = network.profile
  const vault = { chainId, projectId, address, factory, token, epochSecs: epoch_secs, epochCap: epoch_cap }
  await fundVault(rpcUrl, accounts.developer, vault, fundsWei)
}
