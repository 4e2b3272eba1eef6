import {
  attestSnapshot,
  type Beacon,
  beaconValue,
  buildSnapshot,
  epochAt,
  epochStart,
  hashSnapshot,
  quorum,
  type Snapshot,
  type SnapshotCandidate,
} from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import type { Consensus } from '../../protocol/manifest/index.ts'
import { type SeatedCommittee, seatCommittee } from '../../protocol/rounds/index.ts'
import { unwrap, unwrapIfFound } from '../../sdk/answers.ts'
import { signedByNode } from '../../sdk/node-requests.ts'
import { waitFor } from '../../sdk/wait.ts'
import { print, printStep } from '../print.ts'
import type { Device } from './miner.ts'
import { ensure, type MovableStage, passUntil } from './stage.ts'
import type { Validator } from './validators.ts'

/** The project of the demo, with those who work for it and those who watch over it. */
export interface Work {
  readonly projectId: string
  readonly consensus: Consensus
  readonly devices: readonly Device[]
  readonly validators: readonly Validator[]
}

/** Lets the next epoch begin whose set has the devices in it, and has that set attested. */
export async function beginEpoch(stage: MovableStage, work: Work): Promise<Snapshot> {
  const { epoch_secs } = work.consensus.work
  // Who is bonded before the beacon of an epoch is in its set.
  const beaconAfter = (await stage.network.now()) + defaultNetworkParams.beacon_offset_secs
  const epoch = epochAt(beaconAfter, epoch_secs) + 1
  printStep(`Epoch ${epoch} begins, and the hub builds the set that its committees are drawn from`)
  await passUntil(stage, epochStart(epoch, epoch_secs))
  return attestSet(stage, work, epoch)
}

/** Validators rebuild the set from what everybody can read, and attest what is the same. */
async function attestSet({ network, quiet }: MovableStage, work: Work, epoch: number): Promise<Snapshot> {
  const { profile, client } = network
  const { projectId: project_id, consensus, validators } = work
  const { epoch_secs } = consensus.work
  const target = `/v1/nodes/committee-sets/${project_id}/${epoch}`
  const params = { path: { project_id, epoch } }
  const [first] = validators as [Validator]
  const signed = signedByNode(network, first.seed)
  const built = await waitFor(
    'the hub to build the set',
    async () => {
      const { headers } = await signed('GET', target, undefined)
      return unwrapIfFound(
        quiet.client.GET('/v1/nodes/committee-sets/{project_id}/{epoch}', { params, headers }),
      )
    },
    (set) => set !== null,
  )
  const beacon = await unwrap(
    client.GET('/v1/beacons/{epoch_secs}/{epoch}', { params: { path: { epoch_secs, epoch } } }),
  )
  ensure(beacon.value === beaconValue(profile, beacon.block_hash), 'the beacon is that of its block')
  const snapshot = await rebuildSet({ network, quiet }, work, epoch, beacon)
  const setHash = hashSnapshot(snapshot)
  ensure(hashSnapshot(built as Snapshot) === setHash, 'the set of the hub is the one that validators rebuild')
  print('=', `${snapshot.entries.length} nodes in the set ${setHash}, as the hub and the validators built it`)

  printStep('The validators attest the set: a quorum makes it hold')
  for (const [index, { seed }] of validators.entries()) {
    const attestation = attestSnapshot(profile, seed, setHash)
    const one = index === 0 ? network : quiet
    await unwrap(
      one.client.POST('/v1/nodes/committee-sets/{project_id}/{epoch}', {
        params,
        ...(await signedByNode(network, seed)('POST', target, attestation)),
      }),
    )
  }
  const { valid, attestations, set_hash } = await unwrap(
    client.GET('/v1/committees/{project_id}/{epoch}', { params }),
  )
  ensure(valid && set_hash === setHash, 'a quorum of the validators attested the set')
  print('=', `${attestations.length} attestations; ${quorum(validators.length)} are a quorum`)
  return snapshot
}

async function rebuildSet(
  { network, quiet }: Pick<MovableStage, 'network' | 'quiet'>,
  { projectId: project_id, consensus, devices }: Work,
  epoch: number,
  { block_number, block_hash, value }: Beacon,
): Promise<Snapshot> {
  const candidates = await Promise.all(devices.map((device) => readCandidate(quiet, device)))
  const beacon = { block_number, block_hash, value }
  const params = defaultNetworkParams
  return buildSnapshot(network.profile, { project_id, epoch, consensus, beacon, params, candidates })
}

async function readCandidate(
  { client }: MovableStage['quiet'],
  { nodeId: node_id, publicKey: public_key, subscriptionId: subscription_id }: Device,
): Promise<SnapshotCandidate> {
  const [subscription, device] = await Promise.all([
    unwrap(client.GET('/v1/subscriptions/{subscription_id}', { params: { path: { subscription_id } } })),
    unwrap(client.GET('/v1/devices/{node_id}', { params: { path: { node_id } } })),
  ])
  const { owner, payout_address, collateral, reputation, status } = subscription
  return {
    node_key: public_key,
    subscription_id,
    owner,
    payout_address,
    collateral,
    reputation,
    paused: status === 'paused',
    faulty: false,
    binding: { binding_hash: device.binding_hash, owner: device.owner, public_key: device.public_key },
  }
}

/** The committee of a task, drawn here and by the hub. */
export async function drawCommittee(
  { network }: MovableStage,
  { projectId: project_id, consensus }: Work,
  snapshot: Snapshot,
  seq: number,
): Promise<SeatedCommittee> {
  const { committee } = consensus.work
  const seated = seatCommittee(network.profile, snapshot, seq, { committee, params: defaultNetworkParams })
  const drawn = await unwrap(
    network.client.GET('/v1/committees/{project_id}/{epoch}/{seq}', {
      params: { path: { project_id, epoch: snapshot.epoch, seq } },
    }),
  )
  const isSame = drawn.committee_hash === seated.committee.committee_hash && !drawn.fallback
  ensure(isSame, 'the hub draws the committee that everybody can compute')
  print('=', `a committee of ${seated.seats.length}, drawn here and by the hub alike`)
  return seated
}
