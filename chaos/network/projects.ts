import { generatePrivateKey } from 'viem/accounts'
import { vaultFactoryAbi } from '../../contracts/generated/contracts.ts'
import { bindDevice } from '../../localnet/sample/devices.ts'
import { manifestLike } from '../../localnet/sample/manifest.ts'
import { epochCap } from '../../protocol/earnings/index.ts'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import { deriveProjectId, deriveSubscriptionId, deriveVaultAddress } from '../../protocol/identity/index.ts'
import {
  deriveManifestHashes,
  type ProjectManifest,
  type ProjectRules,
} from '../../protocol/manifest/index.ts'
import { signedManifest } from '../../scripts/hub/manifest.ts'
import { waitFor } from '../../scripts/hub/wait.ts'
import { signAndRelay, signIn, type Wallet } from '../../scripts/hub/wallet.ts'
import type { SignedBody } from '../../sdk/actions.ts'
import { eachOf } from '../harness/time.ts'
import { stakingCall, tokenCall } from './contracts.ts'
import type { FaultyHub } from './faulty-hub.ts'
import { createNodeKey, type NodeKey } from './validator-server.ts'

export type ProjectNetwork = Pick<
  FaultyHub,
  'profile' | 'contracts' | 'minter' | 'chain' | 'hub' | 'tools' | 'operator'
>

/** A person with a device, who works for several projects. */
export interface Miner {
  wallet: Wallet
  device: NodeKey
  /** The address that receives its rewards. */
  payout: string
}

export interface Member extends Miner {
  subscriptionId: string
}

export interface Project {
  developer: Wallet
  projectId: string
  vault: string
  manifest: ProjectManifest
  consensus: ProjectRules
  consensusHash: string
  members: Member[]
}

export const collateralWei = 150n * 10n ** 18n
/** Tokens that developers and miners begin with: enough to bond many times. */
export const grantWei = 10n ** 24n
const usualMembers = 5
const minersPerProject = 0.9
/** Longer than a person waits: others may keep the machine busy. */
const patienceMs = 600_000

export interface ProjectsOptions {
  members?: number
  collateral?: bigint
  /** The committees of each project, by its number; what is left out is as in the example. */
  committees?: readonly Partial<ProjectRules['work']['committee']>[]
}

/** Projects with open vaults and members that have bonded, made the way people make them. */
export async function createProjects(
  network: ProjectNetwork,
  count: number,
  { members = usualMembers, collateral = collateralWei, committees = [] }: ProjectsOptions = {},
): Promise<Project[]> {
  const worker = await uploadWorker(network)
  const minerCount = Math.max(members, Math.ceil(count * minersPerProject))
  const miners = await eachOf(Array.from({ length: minerCount }), 8, () => createMiner(network))
  const projects = await eachOf(Array.from({ length: count }), 8, (_, index) =>
    createProject(network, worker, index, membersOf(miners, members, index), committees[index]),
  )
  const accounts = [...miners.map(({ wallet }) => wallet), ...projects.map(({ developer }) => developer)]
  await eachOf(accounts, 8, ({ address }) =>
    network.chain.send(network.minter, [tokenCall(network, 'mint', address, grantWei)]),
  )
  await eachOf(projects, 8, (project) => openVault(network, project))
  // An owner has one bond under way at a time.
  await eachOf(miners, 24, async ({ wallet }) => {
    for (const project of projects)
      for (const member of project.members)
        if (member.wallet.address === wallet.address) await subscribe(network, project, member, collateral)
  })
  return projects
}

export async function readCollaterals(
  network: Pick<FaultyHub, 'chain' | 'contracts'>,
  projects: readonly Project[],
): Promise<Map<string, bigint>> {
  const ids = projects.flatMap(({ members }) => members.map(({ subscriptionId }) => subscriptionId))
  const calls = ids.map((id) => stakingCall(network, 'subscriptionOf', id))
  const states = (await network.chain.read(calls)) as { collateral: bigint }[]
  return new Map(ids.map((id, at) => [id, states[at]!.collateral]))
}

const membersOf = (miners: readonly Miner[], count: number, index: number): Miner[] =>
  Array.from({ length: count }, (_, at) => miners[(index + at * 3) % miners.length] as Miner).filter(
    (miner, at, all) => all.indexOf(miner) === at,
  )

async function uploadWorker({ operator }: ProjectNetwork) {
  const { bytes, manifestAddress } = echoArtifact('settlement_chaos')
  const body = { hbc_b64: Buffer.from(bytes).toString('base64') }
  const { functions } = await operator.client.call('POST /v1/modules', { body })
  return { worker: manifestAddress, functions }
}

let miners = 0

async function createMiner({ profile, tools }: ProjectNetwork): Promise<Miner> {
  const wallet = await signIn(tools, generatePrivateKey())
  const device = createNodeKey(profile)
  await bindDevice(tools, wallet, device.seed)
  miners += 1
  // Half are paid where nothing else comes and goes, the others by their wallet.
  return { wallet, device, payout: miners % 2 === 0 ? wallet.address : device.publicKey.slice(0, 42) }
}

function economicsOf(index: number, given: ProjectRules['economics']): ProjectRules['economics'] {
  const kinds: Partial<ProjectRules['economics']>[] = [
    {},
    { reward_model: 'epoch-pool', reward_per_unit: '0' },
    { max_recipients_per_epoch: 3, max_units_per_epoch: 20 },
    {
      reward_per_unit: '1750000000000001',
      daily_emission: '1000000000000000013',
      fee_split_bp: { miner: 7_601, developer: 1_898, treasury: 501 },
    },
  ]
  return { ...given, ...kinds[index % kinds.length] }
}

async function createProject(
  network: ProjectNetwork,
  { worker, functions }: { worker: string; functions: readonly string[] },
  index: number,
  miners: readonly Miner[],
  committee: Partial<ProjectRules['work']['committee']> = {},
): Promise<Project> {
  const { profile, tools, contracts, operator } = network
  const developer = await signIn(tools, generatePrivateKey())
  const slug = `chaos-${index}`
  const projectId = deriveProjectId(profile, developer.address, slug)
  const vault = deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId)
  const enrolled = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true } as const
  await developer.client.call('POST /v1/developers/me/enrollment', { body: enrolled })
  const alike = manifestLike(
    { slug, name: `Chaos ${index}`, tagline: 'Meets faults', description: 'Meets faults and pays.' },
    { profile, developer: developer.address, worker, functions, token: contracts.token, vault },
  )
  const { work, economics } = alike.consensus
  const consensus = {
    ...alike.consensus,
    work: { ...work, committee: { ...work.committee, ...committee } },
    economics: economicsOf(index, economics),
  }
  const manifest = { ...alike, consensus }
  const { register_by_sig } = await developer.client.call('POST /v1/developers/projects', {
    body: signedManifest(developer.key, manifest),
  })
  const hashes = deriveManifestHashes(profile, manifest)
  const { consensus_hash: consensusHash, manifest_hash: manifestHash } = hashes
  const wanted = { developer: developer.address, slug, worker, consensusHash, manifestHash }
  const params = { path: { project_id: projectId } }
  const register = (body: SignedBody) =>
    developer.client.call('POST /v1/developers/projects/{project_id}/register', { ...params, body })
  await signAndRelay(tools, developer, register_by_sig!, wanted, register, { timeout: patienceMs })
  await waitFor(
    'the registration to be indexed',
    () => developer.client.call('GET /v1/projects/{project_id}', params),
    ({ listing_status }) => listing_status === 'pending_review',
    patienceMs,
  )
  await operator.client.call('POST /admin/v1/projects/{project_id}/review', {
    ...params,
    body: { action: 'approve' },
  })
  const members = miners.map((miner) => ({
    ...miner,
    subscriptionId: deriveSubscriptionId(projectId, miner.wallet.address, miner.device.publicKey),
  }))
  return { developer, projectId, vault, manifest, consensus, consensusHash, members }
}

async function openVault(network: ProjectNetwork, { developer, projectId, vault, consensus }: Project) {
  const { chain, contracts } = network
  const { economics, work } = consensus
  const cap = epochCap(economics.daily_emission, work.epoch_secs)
  const args = [projectId, contracts.token, work.epoch_secs, cap]
  await chain.send(developer.address, [
    { to: contracts.vault_factory, abi: vaultFactoryAbi, functionName: 'create', args },
    tokenCall(network, 'approve', vault, grantWei),
  ])
}

async function subscribe(
  network: ProjectNetwork,
  { projectId }: Project,
  member: Member,
  collateral: bigint,
): Promise<void> {
  const { wallet, device, subscriptionId } = member
  const amount = String(collateral)
  const created = { project_id: projectId, node_id: device.nodeId, collateral: amount }
  const { bond } = await wallet.client.call('POST /v1/subscriptions', { body: created })
  const wanted = { owner: wallet.address, projectId, nodeKey: device.publicKey, amount }
  const params = { path: { subscription_id: subscriptionId } }
  const post = (body: SignedBody) =>
    wallet.client.call('POST /v1/subscriptions/{subscription_id}/bond', { ...params, body })
  await signAndRelay(network.tools, wallet, bond, wanted, post, { timeout: patienceMs })
}
