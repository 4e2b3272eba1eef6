import * as z from 'zod'
import { Address, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import { lateKinds } from '../../stores/late-work.ts'
import { AttestationShape } from '../committees/schema.ts'
import { ValidatorView } from '../validators/schema.ts'

const OptionalAddress = Address.nullable()
const PublicRpcUrl = z
  .url()
  .optional()
  .meta({ description: 'Given where anyone may reach the chain this way.' })

export const Descriptor = z
  .strictObject({
    network: z.string(),
    protocol: z.string(),
    api: z.string().meta({ description: 'Path prefix of this API version.' }),
    runtime: z.string().meta({ description: 'What executes modules.' }),
    chain: z.strictObject({
      id: z.int().meta({ description: 'EIP-155 chain id; sign-in texts and typed data name it.' }),
      name: z.string().nullable(),
      contracts: z
        .record(z.string(), OptionalAddress)
        .meta({ description: 'Null while this hub has no chain.' }),
      explorer: z.url().nullable(),
      rpc_url: PublicRpcUrl,
    }),
    hosts: z.strictObject({
      api: z.url(),
      docs: z.url(),
      sign_in: z.array(z.string()).meta({ description: 'Domains a sign-in text may name.' }),
    }),
    coordinator: z.strictObject({ node_id: NodeId, public_key: Bytes32 }).nullable().meta({
      description: 'The key that this hub signs its calls to nodes with; null where it calls none.',
    }),
    params_hash: Bytes32,
    versions: z.strictObject({ hub: z.string(), nodectl_min: z.string() }),
    features: z.array(z.string()),
    status: z.enum(['ok', 'degraded']),
    time: Timestamp.meta({ description: 'Network time, at the start of the minute.' }),
  })
  .meta({ id: 'Descriptor' })

const Missing = z.array(z.string()).optional()
const Health = z.enum(['ok', 'unavailable'])

export const Status = z
  .strictObject({
    status: z.enum(['ok', 'degraded']),
    database: Health,
    module_storage: Health,
    chain: z.strictObject({
      indexed_block: z.int().nullable(),
      head_block: z.int().nullable(),
      lag_secs: z
        .int()
        .nullable()
        .meta({ description: 'Seconds since the index last had everything the chain had.' }),
      log_differences: z.int().nullable().meta({
        description:
          'How often a chain node gave other logs of the same blocks than before. What it had left out is indexed before the blocks count as final.',
      }),
      halted: z.string().nullable().meta({
        description:
          'Why the chain is not read any more, and what an operator can do about it; null while it is.',
      }),
      rpc_url: PublicRpcUrl,
    }),
    queue: Health.nullable().meta({ description: 'Null while this hub relays nothing.' }),
    relayer: Health.nullable().meta({ description: 'Null while this hub relays nothing.' }),
    relay: z
      .strictObject({
        connected_devices: z.int(),
        available_slots: z.int().meta({ description: 'Offers that these devices would take now.' }),
      })
      .nullable()
      .meta({ description: 'The WebSockets of devices; null while the database does not answer.' }),
    late: z
      .array(
        z.strictObject({
          what: z.enum(lateKinds).meta({
            description:
              '`set_not_built`: the epoch runs without a set, because its beacon is not known. `set_not_attested`: it runs without an attested set. `tasks_waiting`: tasks have waited for a round for more than a minute. `rounds_unpaid`: rounds of the epoch became final when its receipt no longer waited for them.',
          }),
          project_id: Bytes32,
          epoch: z.int(),
          since: Timestamp,
          count: z.int().meta({ description: 'Tasks or rounds; of tasks 1,000 at most.' }),
        }),
      )
      .nullable()
      .meta({ description: 'What is late; null while the database does not answer.' }),
    previous_keys: z
      .array(
        z.strictObject({
          address: Address,
          open: z
            .int()
            .nullable()
            .meta({ description: 'Actions that are not final; null when nobody answers for the key.' }),
        }),
      )
      .meta({ description: 'Keys that relayed before this one and bring to an end what they began.' }),
    missing: z
      .strictObject({
        database: Missing,
        chain: Missing,
        relayer: Missing,
        coordinator: Missing,
      })
      .meta({
        description:
          'By part, the settings that this hub lacks for it, or `migrations` of its database; empty where it lacks nothing.',
      }),
    version: z.string(),
    time: Timestamp.meta({ description: 'Network time, which everything of the protocol is dated by.' }),
  })
  .meta({ id: 'Status' })

export const NetworkParamsView = z
  .strictObject({ params: z.record(z.string(), z.unknown()), params_hash: Bytes32 })
  .meta({ id: 'NetworkParams' })

export const Validators = z
  .strictObject({
    validators: z.array(ValidatorView),
    count: z.int(),
    quorum: z.int().meta({ description: 'Votes that decide among `count` validators.' }),
    generation: z.int().nullable().meta({ description: 'Null before there is one.' }),
    effective_at: z.int().nullable(),
    hash: Bytes32.nullable(),
    coordinator: AttestationShape.nullable(),
    signatures: z.array(AttestationShape),
  })
  .meta({ id: 'Validators' })

export const Categories = z
  .strictObject({
    items: z.array(
      z.strictObject({ category: z.string(), count: z.int().meta({ description: 'Listed projects.' }) }),
    ),
  })
  .meta({ id: 'Categories' })
