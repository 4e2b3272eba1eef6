import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { ContractAddresses } from '../../contracts/deploy.ts'
import { hubTokenAbi, projectVaultAbi, vaultFactoryAbi } from '../../contracts/generated/contracts.ts'
import { callBatch } from '../../contracts/json-rpc.ts'
import { readSender, sendCalls } from '../../contracts/send.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { deriveProjectId, deriveVaultAddress } from '../../protocol/identity/index.ts'
import { signManifest } from '../../protocol/manifest/index.ts'
import { type HubAccount, until } from './account.ts'
import { sampleManifest, sampleSlug } from './manifest.ts'

export interface ProjectParts {
  readonly profile: Profile
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
  readonly developer: HubAccount
  readonly developerKey: string
  readonly operator: HubAccount
}

const fundsWei = 10_000n * 10n ** 18n
/** More than any of the calls that fund a vault costs. */
const callGas = 300_000n

/**
 * Brings the sample project into the catalogue with a funded vault. What of it is there already is left as it is.
 * @returns Its id.
 */
export async function makeProject(parts: ProjectParts): Promise<string> {
  const { profile, contracts, developer, operator } = parts
  const projectId = deriveProjectId(profile, developer.address, sampleSlug)
  const path = `/v1/projects/${projectId}`
  const vault = deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId)
  if ((await developer.find('/v1/developers/me')) === null)
    await developer.post('/v1/developers/me/enrollment', {
      developer_type: 'individual',
      display_name: 'Sample developer',
      agreements_accepted: true,
    })
  const known = await developer.find(path)
  if (known === null || known.listing_status === 'submitted') await register(parts, projectId, vault)
  if ((await developer.get(path)).listing_status === 'pending_review')
    await operator.post(`/admin/v1/projects/${projectId}/review`, { action: 'approve' })
  await openVault(parts, projectId, vault as Address)
  return projectId
}

async function register(
  { profile, contracts, developer, developerKey }: ProjectParts,
  projectId: string,
  vault: string,
): Promise<void> {
  const manifest = sampleManifest({
    profile,
    developer: developer.address,
    token: contracts.token,
    vault,
    ...(await uploadWorker(developer)),
  })
  const { register_by_sig } = await developer.post('/v1/developers/projects', {
    manifest,
    sig_type: 'eip191',
    signature: signManifest(developerKey, manifest),
  })
  await developer.act(`/v1/developers/projects/${projectId}/register`, register_by_sig)
  await until('the registration to be indexed', async () => {
    const { listing_status } = await developer.get(`/v1/projects/${projectId}`)
    return listing_status !== 'submitted'
  })
}

async function uploadWorker(developer: HubAccount): Promise<{ worker: string; functions: string[] }> {
  const { bytes, manifestAddress } = echoArtifact('sample_echo')
  const module =
    (await developer.find(`/v1/modules/${manifestAddress}`)) ??
    (await developer.post('/v1/modules', { hbc_b64: Buffer.from(bytes).toString('base64') }))
  return { worker: manifestAddress, functions: module.functions }
}

/** The developer's own transactions: the hub neither opens nor funds a vault. */
async function openVault(
  { rpcUrl, contracts, developer }: ProjectParts,
  projectId: string,
  vault: Address,
): Promise<void> {
  const [code] = await callBatch(rpcUrl, [['eth_getCode', vault, 'latest']])
  if (code !== '0x') return
  const { epoch_secs, epoch_cap } = await developer.get(`/v1/projects/${projectId}/economics`)
  const create = encodeFunctionData({
    abi: vaultFactoryAbi,
    functionName: 'create',
    args: [projectId as Hex, contracts.token, epoch_secs, BigInt(epoch_cap)],
  })
  const approve = encodeFunctionData({ abi: hubTokenAbi, functionName: 'approve', args: [vault, fundsWei] })
  const fund = encodeFunctionData({ abi: projectVaultAbi, functionName: 'fund', args: [fundsWei] })
  await sendCalls(rpcUrl, developer.wallet, await readSender(rpcUrl, developer.wallet.address), [
    { to: contracts.vault_factory, data: create, gas: callGas },
    { to: contracts.token, data: approve, gas: callGas },
    { to: vault, data: fund, gas: callGas },
  ])
}
