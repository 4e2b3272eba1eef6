import * as z from 'zod'
import { Address, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import { lateKinds } from '../../stores/late-work.ts'
import { AttestationShape } from '../committees/schema.ts'
import { ValidatorView } from '../validators/schema.ts'

const OptionalAddress = Address.nullable()
const PublicRpcUrl = z.url().optional().describe('A public RPC URL of the chain, if the network has one.')

const HubStatus = z
  .enum(['ok', 'degraded', 'maintenance'])
  .describe('`maintenance`: an operator says so, whatever the parts of the hub do.')

const ProfileView = z
  .strictObject({
    service: z.string(),
    prefix: z.string(),
    node_id_prefix: z.string(),
    network: z.string(),
    chain_id: z.int(),
    token_symbol: z.string(),
    token_name: z.string(),
    permit_name: z.string(),
    header_prefix: z.string(),
    session_token_prefix: z.string(),
    api_key_prefix: z.string(),
  })
  .meta({ id: 'Profile' })

export const Descriptor = z
  .strictObject({
    network: z.string(),
    protocol: z.string(),
    profile: ProfileView.describe(
      'The names of this network, from which headers, tokens and signed texts take theirs. Saved in a file, it is what `--profile` of the tools takes.',
    ),
    api: z.string().describe('Path prefix of this API version.'),
    runtime: z.string().describe('Name of the runtime that executes modules. Every artifact names it.'),
    chain: z.strictObject({
      id: z.int().describe('EIP-155 chain id; sign-in texts and typed data name it.'),
      name: z.string().nullable(),
      coin: z
        .strictObject({ symbol: z.string(), name: z.string(), decimals: z.int() })
        .describe('The coin that pays for the gas of the chain.'),
      contracts: z.record(z.string(), OptionalAddress).describe('Null while this hub has no chain.'),
      explorer: z.url().nullable(),
      registry: OptionalAddress.describe('The contract `project_registry`.'),
      token: OptionalAddress.describe('The token of the network.'),
      rpc_url: PublicRpcUrl,
    }),
    hosts: z.strictObject({
      api: z.url(),
      docs: z.url(),
      store: z.url().describe('The address of the module store.'),
      rpc: z.url().optional().describe('A public RPC URL of the chain, if the network has one.'),
      relay: z.string().describe('The WebSocket of devices.'),
      sign_in: z.array(z.string()).describe('Domains a sign-in text may name.'),
    }),
    coordinator: z
      .strictObject({ node_id: NodeId, public_key: Bytes32 })
      .nullable()
      .describe('The key with which this hub signs its calls to nodes; null if it calls no nodes.'),
    params_hash: Bytes32.describe('Hash of the parameters that hold now.'),
    next_params: z
      .strictObject({
        from: Timestamp.describe('When they take effect: epochs that begin then or later have them.'),
        params_hash: Bytes32.describe('Hash of the parameters from then on.'),
      })
      .nullable()
      .describe('The next change of parameters that is announced; null while none is.'),
    endpoints: z.record(z.string(), z.string()).describe('URLs of calls, by name.'),
    validators: z
      .strictObject({ count: z.int(), quorum: z.int() })
      .describe(
        'Of the generation in force; both 0 before the first one, or while the database does not answer.',
      ),
    versions: z.strictObject({
      hub: z.string(),
      nodectl_min: z.string(),
      miner_min: z.string().describe('Devices with an older `miner_version` must update.'),
      miner_latest: z.string(),
    }),
    brand: z
      .strictObject({
        name: z.string().nullable(),
        logo: z.url().nullable().describe('An image of this hub.'),
        accent: z.string().nullable().describe('A colour, as `#RRGGBB`.'),
      })
      .describe('How pages show this network; null for what is not set.'),
    features: z
      .record(z.string(), z.boolean())
      .describe('`relay`: the hub submits signed actions. `faucet`: the faucet is open.'),
    status: HubStatus,
    time: Timestamp.describe('Network time, rounded down to the minute.'),
  })
  .meta({ id: 'Descriptor' })

const Missing = z.array(z.string()).optional()
const Health = z.enum(['ok', 'unavailable'])

export const Status = z
  .strictObject({
    status: HubStatus,
    database: Health,
    module_storage: Health,
    chain: z.strictObject({
      indexed_block: z.int().nullable(),
      head_block: z.int().nullable(),
      final_block: z
        .int()
        .nullable()
        .describe('The last block that the chain calls final; null while it does not say.'),
      finalizing: z
        .boolean()
        .nullable()
        .describe(
          'False while new blocks do not become final in time. The hub then names no audit blocks and posts no epochs, and committee sets wait for their beacon. Null before the first look at the chain.',
        ),
      lag_secs: z.int().nullable().describe('Seconds since the index last had all blocks of the chain.'),
      log_differences: z
        .int()
        .nullable()
        .describe(
          'How often a chain node returned different logs for the same blocks. Missing logs are indexed before the blocks count as final.',
        ),
      halted: z
        .string()
        .nullable()
        .describe(
          'The reason why indexing is halted, with the fix for an operator; null while the hub indexes the chain.',
        ),
      rpc_url: PublicRpcUrl,
    }),
    queue: Health.nullable().describe(
      '`unavailable` while a dead letter is unresolved; null if this hub relays nothing.',
    ),
    relayer: Health.nullable().describe('Null if this hub relays nothing.'),
    relay: z
      .strictObject({
        connected_devices: z.int(),
        available_slots: z
          .int()
          .describe('Number of offers that these devices can take, as it was half a minute ago or later.'),
      })
      .nullable()
      .describe('The WebSockets of devices; null while the database does not answer.'),
    late: z
      .array(
        z.strictObject({
          what: z
            .enum(lateKinds)
            .describe(
              '`set_not_built`: the epoch runs without a set, because its beacon is not known. `set_not_attested`: the epoch runs without an attested set. `tasks_waiting`: tasks have waited for a round for more than a minute. `rounds_without_block`: committees were done more than a minute ago, and no block since then decides about an audit. `rounds_without_quorum`: the block exists, and no quorum of validators has made the result final. `rounds_unpaid`: rounds of the epoch became final too late for its receipt.',
            ),
          project_id: Bytes32,
          epoch: z.int(),
          since: Timestamp,
          count: z.int().describe('Number of tasks or open rounds (1,000 at most), or of unpaid rounds.'),
        }),
      )
      .nullable()
      .describe('Sets, tasks and rounds that are late; null while the database does not answer.'),
    projection: z
      .strictObject({
        lag_ms: z.int().describe('How long the oldest of them has waited; 0 if none waits.'),
        queued: z.int().describe('Number of messages, about. A batch that is being written is not counted.'),
      })
      .nullable()
      .describe(
        'Rounds that have ended, or are open for long, on their way to lists and figures; null while the queue does not answer.',
      ),
    previous_keys: z
      .array(
        z.strictObject({
          address: Address,
          open: z
            .int()
            .nullable()
            .describe('Actions that are not final; null if the relayer of this key does not answer.'),
        }),
      )
      .describe('Former relayer keys, which finish their open actions.'),
    missing: z
      .strictObject({
        database: Missing,
        chain: Missing,
        relayer: Missing,
        coordinator: Missing,
      })
      .describe(
        'The missing settings of each part, or `migrations` of the database; empty if nothing is missing.',
      ),
    validators: z
      .array(
        z.strictObject({
          node_id: NodeId,
          public_key: Bytes32,
          url: z.string().nullable(),
          region: z.string().nullable(),
          reachable: z.boolean().describe('Whether its node sent a heartbeat lately.'),
          capabilities: z.record(z.string(), z.boolean()),
        }),
      )
      .nullable()
      .describe('Of the generation in force; null while the database does not answer.'),
    committees_enabled: z.boolean().describe('Whether this hub runs rounds of committees.'),
    hub_version: z.string(),
    time: Timestamp.describe('Network time, the clock of the protocol.'),
  })
  .meta({ id: 'Status' })

export const NetworkParamsView = z
  .strictObject({
    params: z.record(z.string(), z.unknown()),
    params_hash: Bytes32,
    next: z
      .strictObject({
        from: Timestamp.describe('When they take effect: epochs that begin then or later have them.'),
        params: z.record(z.string(), z.unknown()),
        params_hash: Bytes32,
      })
      .nullable()
      .describe('The next change that is announced; null while none is.'),
  })
  .meta({ id: 'NetworkParams' })

export const Validators = z
  .strictObject({
    validators: z.array(ValidatorView),
    count: z.int(),
    quorum: z.int().describe('Number of votes that decide among `count` validators.'),
    generation: z.int().nullable().describe('Null before there is one.'),
    effective_at: z.int().nullable(),
    hash: Bytes32.nullable(),
    coordinator: AttestationShape.nullable(),
    signatures: z.array(AttestationShape),
  })
  .meta({ id: 'Validators' })

export const Categories = z
  .strictObject({
    items: z.array(
      z.strictObject({
        slug: z.string(),
        name: z.string().describe('For people.'),
        projects: z.int().describe('Listed projects.'),
      }),
    ),
  })
  .meta({ id: 'Categories' })
