import * as z from 'zod'
import { exclusionReasons } from '../../../protocol/committees/index.ts'
import { example } from '../../examples.ts'
import { Address, Amount, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import { ProjectParams } from '../projects/schema.ts'

export const PathCount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,14})$/, 'must be an integer from 0')
  .transform(Number)
  .meta({ schema: { type: 'integer', minimum: 0 } })

export const BeaconView = z
  .strictObject({
    epoch_secs: z.int(),
    epoch: z.int(),
    target_time: Timestamp,
    block_number: z.int(),
    block_hash: Bytes32,
    value: Bytes32,
  })
  .meta({ id: 'Beacon' })

export const beaconExample: z.output<typeof BeaconView> = {
  epoch_secs: 3600,
  epoch: 498_055,
  target_time: 1_792_997_040,
  block_number: 21_402,
  block_hash: example.digest,
  value: example.manifestAddress,
}

export const SetParams = z.object({ ...ProjectParams, epoch: PathCount.meta({ example: 498_055 }) })

const SnapshotEntryView = z
  .strictObject({
    node_key: Bytes32,
    subscription_id: Bytes32,
    owner: Address,
    payout_address: Address,
    collateral: Amount.describe('Value at the beacon block, like owner and payout address.'),
    reputation: z.int(),
    binding_hash: Bytes32,
  })
  .meta({ id: 'SnapshotEntry' })

const SnapshotExcludedView = z
  .strictObject({ node_key: Bytes32, subscription_id: Bytes32, reason: z.enum(exclusionReasons) })
  .meta({ id: 'SnapshotExcluded' })

export const SnapshotView = z
  .strictObject({
    v: z.literal(1),
    network: z.string(),
    project_id: Bytes32,
    epoch: z.int(),
    epoch_secs: z.int(),
    consensus_hash: Bytes32,
    params_hash: Bytes32,
    beacon: z
      .strictObject({ block_number: z.int(), block_hash: Bytes32, value: Bytes32 })
      .meta({ id: 'SnapshotBeacon' }),
    min_collateral: Amount,
    weight_cap: Amount,
    entries: z.array(SnapshotEntryView).describe('Ascending by key; at most 65,536.'),
    excluded: z.array(SnapshotExcludedView),
  })
  .meta({ id: 'Snapshot' })

export const AttestationShape = z
  .strictObject({
    node_id: NodeId,
    public_key: Bytes32,
    signature: z.string().regex(/^0x[0-9a-f]{128}$/, 'must be 0x and 128 lower-case hex digits'),
  })
  .meta({ id: 'Attestation' })

export const AttestedSnapshotView = z
  .strictObject({
    snapshot: SnapshotView,
    set_hash: Bytes32,
    attestations: z.array(AttestationShape),
    valid: z.boolean().describe('Whether a quorum of the validators of the epoch attested it.'),
  })
  .meta({ id: 'AttestedSnapshot' })

export const attestationExample: z.output<typeof AttestationShape> = {
  node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
  public_key: example.digest,
  signature: `0x${'2e'.repeat(64)}`,
}

export const snapshotExample: z.output<typeof SnapshotView> = {
  v: 1,
  network: '{{network}}',
  project_id: example.manifestAddress,
  epoch: 498_055,
  epoch_secs: 3600,
  consensus_hash: example.digest,
  params_hash: example.digest,
  beacon: { block_number: 21_402, block_hash: example.digest, value: example.manifestAddress },
  min_collateral: '5000000000000000000',
  weight_cap: '50000000000000000000',
  entries: [
    {
      node_key: example.digest,
      subscription_id: example.manifestAddress,
      owner: example.wallet,
      payout_address: example.wallet,
      collateral: '6000000000000000000',
      reputation: 5000,
      binding_hash: example.digest,
    },
  ],
  excluded: [],
}

export const attestedExample: z.output<typeof AttestedSnapshotView> = {
  snapshot: snapshotExample,
  set_hash: example.digest,
  attestations: [attestationExample],
  valid: true,
}

export const CommitteeView = z
  .strictObject({
    project_id: Bytes32,
    epoch: z.int(),
    seq: z.int(),
    set_hash: Bytes32,
    seed: Bytes32,
    k_eff: z.int(),
    b_eff: z.int(),
    quorum: z
      .int()
      .describe('Number of equal votes with which the committee agrees; votes of backups count too.'),
    fallback: z
      .boolean()
      .describe(
        'Whether validators execute the task without a committee: the set is too small or, in a round, the project was underfunded.',
      ),
    committee_hash: Bytes32,
    draw: z.array(
      z
        .strictObject({
          position: z.int(),
          role: z.enum(['primary', 'backup']),
          node_key: Bytes32,
          node_id: NodeId,
          weight: z.string(),
        })
        .meta({ id: 'Drawn' }),
    ),
  })
  .meta({ id: 'Committee' })

export const committeeExample: z.output<typeof CommitteeView> = {
  project_id: example.manifestAddress,
  epoch: 498_055,
  seq: 7,
  set_hash: example.digest,
  seed: example.digest,
  k_eff: 1,
  b_eff: 0,
  quorum: 1,
  fallback: false,
  committee_hash: example.digest,
  draw: [
    {
      position: 0,
      role: 'primary',
      node_key: example.digest,
      node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
      weight: '30000000',
    },
  ],
}
