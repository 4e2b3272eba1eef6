import { unixNow } from '../../../durable-objects/clock.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { hubVersion } from '../../version.ts'
import { readHealth } from './health.ts'
import { Status } from './schema.ts'

/** Three heartbeats. */
const heardSecsMax = 90

export const getStatus = defineRoute(
  {
    method: 'get',
    path: '/v1/status',
    operationId: 'getStatus',
    tag: 'Network',
    summary: 'Show the health of the hub',
    description:
      'Answers 200 also if a part is unavailable. `status` is `degraded` then, and also while an epoch runs without an attested set tasks or rounds wait for more than a minute, or lists are more than a minute late.',
    cache: { maxAgeSeconds: 5 },
    responses: ok('The health of each part.', Status, {
      status: 'ok',
      database: 'ok',
      module_storage: 'ok',
      chain: {
        indexed_block: 21_402,
        head_block: 21_402,
        final_block: 21_312,
        finalizing: true,
        lag_secs: 1,
        log_differences: 0,
        halted: null,
      },
      queue: 'ok',
      relayer: 'ok',
      relay: { connected_devices: 120, available_slots: 310 },
      late: [],
      projection: { lag_ms: 0, queued: 0 },
      previous_keys: [{ address: example.relayer, open: 2 }],
      missing: {},
      validators: [
        {
          node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
          public_key: example.digest,
          url: 'https://validator.example',
          region: 'eu-west',
          reachable: true,
          capabilities: { storage: true },
        },
      ],
      committees_enabled: true,
      hub_version: hubVersion,
      time: example.time,
    }),
  },
  async (c) => {
    const report = await readHealth(c)
    const { status, database, moduleStorage, chain, queue, relayer, relay, previousKeys, missing } = report
    const { late, projection, validators } = report
    const now = await c.var.services.clock.now()
    // Heartbeats are dated by this machine, whatever time the chain has.
    const heardSince = unixNow() - heardSecsMax
    const rpcUrl = c.var.settings.CHAIN_PUBLIC_RPC_URL
    return json({
      status,
      database,
      module_storage: moduleStorage,
      chain: { ...chain, ...(rpcUrl !== undefined && { rpc_url: rpcUrl }) },
      queue,
      relayer,
      relay: relay && {
        connected_devices: relay.connectedDevices,
        available_slots: relay.availableSlots,
      },
      late: late?.map(({ projectId, ...one }) => ({ ...one, project_id: projectId })) ?? null,
      projection: projection && { lag_ms: projection.lagMs, queued: projection.queued },
      previous_keys: previousKeys,
      missing,
      validators:
        validators?.map(({ nodeId, publicKey, url, region, heardAt, capabilities }) => ({
          ...{ node_id: nodeId, public_key: publicKey, url, region },
          reachable: url !== null && (heardAt ?? 0) > heardSince,
          capabilities: Object.fromEntries((capabilities ?? []).map((name) => [name, true])),
        })) ?? null,
      committees_enabled: c.var.services.committees !== null,
      hub_version: hubVersion,
      time: now,
    })
  },
)
