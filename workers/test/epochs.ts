import { env } from 'cloudflare:workers'
import {
  attestEpochReceipt,
  buildEpochReceipt,
  type EpochReceipt,
  hashEpochReceipt,
  type MinerUnits,
} from '../../protocol/earnings/index.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams, type Profile, resolveProfile } from '../../protocol/identity/index.ts'
import type { ProjectRules } from '../../protocol/manifest/index.ts'
import { services } from '../services.ts'
import { createNode, networkNow, type TestNode } from './callers.ts'
import type { ManifestChange } from './project.ts'
import { createRunningProject } from './subscription.ts'
import { setValidators } from './validators.ts'

export const epochPath = '/v1/nodes/epoch-receipts'

/** Takes the place of the validators there were. */
export async function createValidators(
  count: number,
  bindings?: Parameters<typeof createNode>[0],
): Promise<TestNode[]> {
  const validators = Array.from({ length: count }, () => createNode(bindings))
  await setValidators(validators)
  return validators
}

export interface TestProject {
  projectId: string
  consensus: ProjectRules
  /** The last epoch whose receipt is taken. */
  lastEpoch: number
  runningEpoch: number
}

/** A listed project with a vault of its own, whose first version is in force. */
export async function createProject(change: ManifestChange = {}, developer?: { address: string }) {
  const vault = bytesToHex(crypto.getRandomValues(new Uint8Array(20)))
  const economics = { vault, ...change.economics }
  const { consensusHash, ...project } = await createRunningProject({ ...change, economics }, developer)
  return { ...(await withEpochs(project)), consensusHash }
}

export async function readProject(projectId: string): Promise<TestProject> {
  const version = await services(env).projectVersions.find(projectId, 1)
  const { consensus } = JSON.parse(version?.manifest ?? '{}') as { consensus: ProjectRules }
  return withEpochs({ projectId, consensus })
}

async function withEpochs(project: Pick<TestProject, 'projectId' | 'consensus'>): Promise<TestProject> {
  const { consensus } = project
  const now = await networkNow()
  const epochOf = (time: number) => Math.floor(time / consensus.work.epoch_secs)
  const lastEpoch = epochOf(now - defaultNetworkParams.settle) - 1
  return { ...project, lastEpoch, runningEpoch: epochOf(now) }
}

export interface ReceiptOptions {
  epoch?: number
  units?: readonly MinerUnits[]
  /** The nodes that attest. */
  by: readonly TestNode[]
  profile?: Profile
}

/** The attested receipt of an epoch. */
export function receiptOf(
  { projectId, consensus, lastEpoch }: TestProject,
  { epoch = lastEpoch, units = someUnits, by, profile = resolveProfile() }: ReceiptOptions,
): EpochReceipt {
  const built = buildEpochReceipt(profile, { project_id: projectId, epoch, consensus, units })
  if (built === null) throw new Error('there is nothing to pay')
  return attested(built.body, by, profile)
}

/** Has the first of those who attest an epoch submit its receipt. */
export async function submitReceipt(project: TestProject, options: ReceiptOptions): Promise<EpochReceipt> {
  const receipt = receiptOf(project, options)
  const response = await options.by[0]?.call('POST', epochPath, receipt)
  if (response?.status !== 202) throw new Error(await response?.text())
  return receipt
}

/** A body, right or wrong, with its true hash and attestations over that. */
export function attested(
  body: Omit<EpochReceipt, 'receipt_hash' | 'attestations'>,
  by: readonly TestNode[],
  profile = resolveProfile(),
): EpochReceipt {
  const receiptHash = hashEpochReceipt(body)
  return {
    ...body,
    receipt_hash: receiptHash,
    attestations: by.map(({ key }) => attestEpochReceipt(profile, key, receiptHash)),
  }
}

export const miner = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`

export const someUnits: readonly MinerUnits[] = [
  { miner: miner(0xa1), units: 14 },
  { miner: miner(0xb2), units: 6 },
]

/** An epoch whose receipt the hub has and whose vault has its root; released at a time, or just now. */
export async function settleEpoch(
  project: TestProject,
  { releaseAt, ...options }: ReceiptOptions & { releaseAt?: number },
): Promise<EpochReceipt> {
  const receipt = await submitReceipt(project, options)
  await indexPosted(receipt, releaseAt ?? (await networkNow()) - 1)
  return receipt
}

/** Lets the index say that a receipt's root is posted. */
export const indexPosted = async (
  { vault_address, round, merkle_root, receipt_hash }: EpochReceipt,
  releaseAt: number,
): Promise<void> =>
  indexState('epoch', `${vault_address}:${round}`, {
    merkle_root,
    receipt_hash,
    posted_tx: `0x${'0e'.repeat(32)}`,
    posted_at: await networkNow(),
    release_at: releaseAt,
    vetoed: false,
    reopened: false,
  })

/** Lets the index say something, as of a block that is final. */
export async function indexState(kind: string, subject: string, state: object): Promise<void> {
  const { chainIndex } = services(env)
  const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
  if ((await chainIndex.cursor()) === null) await chainIndex.begin({ number: 1, hash: hash(1) }, {})
  const tip = await chainIndex.cursor()
  if (tip === null) throw new Error('the index has not begun')
  const number = tip.number + 1
  const known = await chainIndex.state(kind as 'vault', subject)
  await chainIndex.append(
    tip,
    {
      headers: [{ number, hash: hash(number), parentHash: tip.hash, timestamp: number } as never],
      events: [],
      states: [{ kind, subject, state: { ...known, ...state }, owner: null, blockNumber: number }],
      before: [],
    },
    { number, hash: hash(number) },
    false,
  )
}
