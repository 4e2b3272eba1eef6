import * as z from 'zod'
import type { LinkStatus } from '../../../durable-objects/link/types.ts'
import {
  benchmarkCasesMax,
  benchmarkSuite,
  connectionKinds,
  deviceStatuses,
} from '../../../protocol/identity/index.ts'
import { deviceClasses, engines } from '../../../protocol/manifest/index.ts'
import { example } from '../../examples.ts'
import { Address, Bytes32, line, NodeId, PathNodeId, Timestamp } from '../../http/formats.ts'
import type { Device } from '../../stores/devices.ts'
import { uptimeBp, workDaySecs, workSince } from '../../stores/work-days.ts'
import { NodectlVersion } from '../nodes/schema.ts'
import { Engine } from '../projects/manifest-shape.ts'
import { deviceStatus, statusReason, statusReasons } from './status.ts'

export const GroupId = z.string().regex(/^[A-Za-z0-9]{12}$/, 'must be the id of a device group')

const Quantity = z
  .int()
  .min(0)
  .max(2 ** 40)

const gpuParts = {
  vendor: line(64).nullable(),
  model: line(128).nullable(),
  vram_mb: Quantity.nullable(),
}

const GpuInput = z
  .strictObject({
    vendor: gpuParts.vendor.default(null),
    model: gpuParts.model.default(null),
    vram_mb: gpuParts.vram_mb.default(null),
  })
  .meta({ id: 'GpuInput', description: 'Null or left out: unknown.' })

const Gpu = z.strictObject(gpuParts).meta({ id: 'Gpu', description: 'Null: unknown.' })

const parts = {
  cpu_model: line(128).nullable(),
  cpu_cores: Quantity.nullable(),
  cpu_threads: Quantity.nullable(),
  ram_mb: Quantity.nullable(),
  storage_free_mb: Quantity.nullable(),
  gpu: Gpu.nullable(),
  network: z.enum(connectionKinds).nullable(),
  battery: z.boolean().nullable(),
  os: line(64).nullable(),
  arch: line(32).nullable(),
}

/** The hardware that a device reports; the compatibility check takes the same shape. */
export const HardwareInput = z
  .strictObject({
    cpu_model: parts.cpu_model.default(null),
    cpu_cores: parts.cpu_cores.default(null),
    cpu_threads: parts.cpu_threads.default(null),
    ram_mb: parts.ram_mb.default(null),
    storage_free_mb: parts.storage_free_mb.default(null),
    gpu: GpuInput.nullable().default(null),
    network: parts.network.default(null),
    battery: parts.battery.default(null),
    os: parts.os.default(null),
    arch: parts.arch.default(null),
  })
  .meta({ id: 'HardwareInput', description: 'Null or left out: unknown.' })

const HardwareView = z.strictObject(parts).meta({ id: 'Hardware', description: 'Null: unknown.' })

const BenchmarkInput = z
  .strictObject({
    suite: z.literal(benchmarkSuite),
    ran_at: Timestamp,
    engine: Engine,
    cases: z
      .array(
        z
          .strictObject({
            name: line(64, 1),
            receipt_hash: Bytes32,
            gas_used: Quantity,
            elapsed_us: Quantity,
          })
          .meta({ id: 'BenchmarkCaseResult' }),
      )
      .max(benchmarkCasesMax, `must have at most ${benchmarkCasesMax} items`),
    mgas_per_s: z
      .array(Quantity)
      .max(benchmarkCasesMax, `must have at most ${benchmarkCasesMax} items`)
      .describe('Speed in each case, in millions of gas per second.'),
    score: Quantity,
  })
  .meta({ id: 'Benchmark' })

export const DeviceProfileInput = z
  .strictObject({
    class: z.enum(deviceClasses),
    platform: line(32, 1),
    os_version: line(64).nullable().default(null),
    arch: line(32, 1),
    engine: Engine,
    miner_version: line(32, 1).describe('Version of the program that mines.'),
    nodectl_version: NodectlVersion.nullable().default(null),
    hardware: HardwareInput.nullable().default(null),
    benchmark: BenchmarkInput.nullable().default(null),
  })
  .meta({ id: 'DeviceProfile' })

const Relay = z
  .strictObject({
    connected: z.boolean(),
    session_id: z.string().nullable(),
    since: Timestamp.nullable(),
    latency_ms: z
      .int()
      .nullable()
      .describe(
        'Milliseconds from the first frame of the hub on this socket to the first answer of the node; null before that answer.',
      ),
  })
  .meta({
    id: 'DeviceRelay',
    description: 'The present socket of the device. Only for the owner, in the answer about a single device.',
  })

export const DeviceView = z
  .strictObject({
    node_id: NodeId,
    public_key: Bytes32,
    owner: Address,
    status: z
      .enum(deviceStatuses)
      .describe(
        '`online`: connected, with a free slot. `idle`: connected, without a free slot. `offline`: the device closed its socket, or has had none for a minute.',
      ),
    status_reason: z.enum(statusReasons).nullable().describe('Why it is `faulty` or `banned`.'),
    class: z.enum(deviceClasses).nullable(),
    platform: z.string().nullable(),
    os_version: z.string().nullable(),
    arch: z.string().nullable(),
    engine: z.enum(engines).nullable(),
    miner_version: z.string().nullable(),
    nodectl_version: z.string().nullable(),
    region: z.string().nullable().describe('As its node registered it.'),
    attestation: z.string().nullable().describe('Null: no project requires one.'),
    subscriptions: z.array(Bytes32).describe('Its open subscriptions, 20 at most.'),
    units_7d: z.int().describe('Units credited on the running UTC day and the 7 days before it.'),
    uptime_bp_7d: z
      .int()
      .optional()
      .describe('Share of the leases of these days that were answered; absent where none was asked.'),
    benchmark: BenchmarkInput.nullable(),
    binding_hash: Bytes32,
    created_at: Timestamp.describe('When it was bound.'),
    profile_updated_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable().describe('Time of the last heartbeat of its node.'),
    connected_since: Timestamp.nullable().describe(
      'Time since which it has a socket. An interruption before it is offline does not count.',
    ),
    label: z.string().nullable().optional().describe('Only for the owner.'),
    group_id: z.string().nullable().optional().describe('Its device group. Only for the owner.'),
    hardware: HardwareView.nullable().optional().describe('Only for the owner.'),
    ban_reason: z
      .string()
      .nullable()
      .optional()
      .describe('The reason of the operator who banned it; only for the owner.'),
    relay: Relay.optional(),
    slots: z
      .optional(z.int())
      .describe(
        'Number of offers that it takes at the same time. Only for the owner, in the answer about a single device.',
      ),
    active_leases: z
      .optional(z.int())
      .describe(
        'Number of accepted offers that are not over. Only for the owner, in the answer about a single device.',
      ),
  })
  .meta({ id: 'Device' })

export const DeviceParams = z.object({
  node_id: PathNodeId.meta({ example: '{{node_id_prefix}}0f3a5c7e9b1d2f40' }),
})

/** The members that everybody sees, and for the owner the others too. */
export const deviceView = (
  device: Device,
  viewer: string | null,
  now: number,
): z.output<typeof DeviceView> => ({
  node_id: device.nodeId,
  public_key: device.publicKey,
  owner: device.owner,
  status: deviceStatus(device),
  status_reason: statusReason(device),
  class: device.class,
  platform: device.platform,
  os_version: device.osVersion,
  arch: device.arch,
  engine: device.engine,
  miner_version: device.minerVersion,
  nodectl_version: device.nodectlVersion,
  region: device.node?.region ?? null,
  attestation: null,
  subscriptions: device.subscriptions.map(({ id }) => id),
  ...weekOf(device, now),
  benchmark: device.benchmark,
  binding_hash: device.bindingHash,
  created_at: device.boundAt,
  profile_updated_at: device.profileUpdatedAt,
  last_seen_at: device.node?.lastHeartbeatAt ?? null,
  connected_since: device.connectedSince,
  ...(viewer === device.owner && {
    label: device.label,
    group_id: device.groupId,
    hardware: device.hardware,
    ban_reason: device.banReason,
  }),
})

function weekOf({ subscriptions }: Device, now: number) {
  const days = subscriptions.map((subscription) => subscription.days)
  const work = workSince(days, Math.floor(now / workDaySecs) - 7)
  return { units_7d: work.units, uptime_bp_7d: uptimeBp(work) }
}

/** The members that only the link of a device knows, for its owner. */
export const linkView = ({ connected, sessionId, since, latencyMs, slots, activeLeases }: LinkStatus) => ({
  relay: { connected, session_id: sessionId, since, latency_ms: latencyMs },
  slots,
  active_leases: activeLeases,
})

export const systemExample = {
  class: 'desktop',
  platform: 'linux',
  os_version: 'Debian 12',
  arch: 'x64',
  engine: 'native',
  miner_version: '1.0.0',
  nodectl_version: '1.0.0',
} as const

export const deviceExample: z.output<typeof DeviceView> = {
  node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
  public_key: example.digest,
  owner: example.wallet,
  status: 'online',
  status_reason: null,
  ...systemExample,
  region: null,
  attestation: null,
  subscriptions: [example.digest],
  units_7d: 1_200,
  uptime_bp_7d: 9_950,
  benchmark: {
    suite: benchmarkSuite,
    ran_at: example.time,
    engine: 'native',
    cases: [{ name: 'nbody', receipt_hash: example.digest, gas_used: 21_800_000, elapsed_us: 91_000 }],
    mgas_per_s: [240],
    score: 240,
  },
  binding_hash: example.manifestAddress,
  created_at: example.time,
  profile_updated_at: example.time,
  last_seen_at: example.time,
  connected_since: example.time,
}

export const hardwareExample: z.output<typeof HardwareInput> = {
  cpu_model: 'Ryzen 7 7700',
  cpu_cores: 8,
  cpu_threads: 16,
  ram_mb: 32_768,
  storage_free_mb: 500_000,
  gpu: null,
  network: 'ethernet',
  battery: false,
  os: 'linux',
  arch: 'x64',
}

export const ownDeviceExample: z.output<typeof DeviceView> = {
  ...deviceExample,
  label: 'Under the desk',
  group_id: null,
  hardware: hardwareExample,
  ban_reason: null,
}
