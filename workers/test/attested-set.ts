import { env } from 'cloudflare:workers'
import { unixNow } from '../../durable-objects/clock.ts'
import { attestSnapshot, beaconTargetTime } from '../../protocol/committees/index.ts'
import { bytesToHex, hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams, resolveProfile } from '../../protocol/identity/index.ts'
import { type SeatedCommittee, seatCommittee, type Task } from '../../protocol/rounds/index.ts'
import { ProjectSets } from '../committees/project-sets.ts'
import { readSettings } from '../env.ts'
import { services } from '../services.ts'
import type { CommitteeSet } from '../stores/committee-sets.ts'
import type { createMiner, TestNode } from './callers.ts'
import { createSubscribed } from './evidence.ts'
import { type Happening, IndexedHistory } from './indexed-history.ts'
import { ScriptedBlocks } from './scripted-blocks.ts'
import { createRunningProject, minCollateral } from './subscription.ts'

const profile = resolveProfile()
const epochSecs = 3_600
/** Blocks up to this one are before the target of the beacon. */
const beaconBlock = 5

/** A node that is in the set of a project, with what evidence about it names. */
export interface Member {
  projectId: string
  consensusHash: string
  subscriptionId: string
  device: TestNode
  owner: Awaited<ReturnType<typeof createMiner>>['owner']
  /** The address that gets its rewards; the owner if left out. */
  payout?: string
  /** When it was made, within the epoch that evidence is about. */
  now: number
}

/** A listed project with miners whose devices are bound and subscribed; what they bond is for {@link attestSets}. */
export async function createMembers(count: number): Promise<Member[]> {
  const vault = bytesToHex(crypto.getRandomValues(new Uint8Array(20)))
  const { projectId, consensusHash } = await createRunningProject({
    economics: { min_collateral: String(minCollateral), vault },
  })
  const members: Member[] = []
  for (let i = 0; i < count; i++) {
    members.push({ projectId, consensusHash, ...(await createSubscribed(projectId)), now: unixNow() })
  }
  return members
}

/**
 * Lets members bond, and the hub build the sets of their projects for an epoch from the index, which has to be empty. The time is within
 * that epoch. @param empty - Further projects, without members. @returns What was indexed, to go on from.
 */
export async function buildSets(
  members: readonly Member[],
  epoch: number,
  ...empty: readonly string[]
): Promise<IndexedHistory> {
  const history = new IndexedHistory()
  const target = beaconTargetTime(epoch, epochSecs, defaultNetworkParams)
  const timeOf = (number: number) => target + 12 * (number - beaconBlock) - 1
  await history.begin({ number: 0, hash: hashText('first'), timestamp: timeOf(0) })
  const numbers = Array.from({ length: beaconBlock + 5 }, (_, i) => i + 1)
  await history.appendAll(
    numbers.map((number) => ({
      timestamp: timeOf(number),
      happenings: number === 3 ? members.flatMap(bonding) : [],
    })),
    beaconBlock + 5,
  )
  const chain = new ScriptedBlocks()
  chain.install()
  chain.serve(history.blocks)
  for (const projectId of new Set([...members.map((member) => member.projectId), ...empty]))
    await new ProjectSets(services(env), readSettings(env)).advance(projectId)
  return history
}

/** Has validators attest the set of a project, each by its own request. */
export async function attestSet(
  projectId: string,
  epoch: number,
  validators: readonly TestNode[],
): Promise<void> {
  const { setHash } = await requireSet(projectId, epoch)
  for (const validator of validators) {
    const path = `/v1/nodes/committee-sets/${projectId}/${epoch}`
    const response = await validator.call('POST', path, attestSnapshot(profile, validator.key, setHash))
    if (response.status !== 200) throw new Error(await response.text())
  }
}

export async function requireSet(projectId: string, epoch: number): Promise<CommitteeSet> {
  const set = await services(env).committeeSets.find(projectId, epoch)
  if (set === null) throw new Error('there is no set')
  return set
}

function bonding({ subscriptionId, projectId, device, owner, payout }: Member): Happening[] {
  const bonded: Happening = {
    name: 'Bonded',
    args: {
      subscriptionId,
      owner: owner.address,
      projectId,
      nodeKey: device.publicKey,
      amount: String(minCollateral),
      collateral: String(minCollateral),
    },
  }
  return payout === undefined ? [bonded] : [bonded, { name: 'PayoutSet', args: { subscriptionId, payout } }]
}

/** The committee of a task, as the set of its epoch gives it. */
export async function seatedOf({ project_id, epoch, seq }: Task): Promise<SeatedCommittee> {
  const { committee, setHash } = await requireSet(project_id, epoch)
  const snapshot = await services(env).committeeSets.readSnapshot(setHash)
  return seatCommittee(profile, snapshot, seq, { committee, params: defaultNetworkParams })
}

export const testCommittee = {
  size: 3,
  min_size: 3,
  backups: 2,
  selection: 'collateral-reputation-sortition-v1',
  weight_cap_multiple: 10,
} as const
