import { env } from 'cloudflare:workers'
import { deriveNodeId, resolveProfile } from '../../protocol/identity/index.ts'
import { bonded, indexState, insertSubscription } from './evidence.ts'
import type { Json } from './known-answers.ts'
import { emptyTables } from './tables.ts'

const profile = resolveProfile()

/** Lets the hub know what a known answer about evidence names: validators, the project’s consensus, and who is bonded. */
export async function knowCase({
  validators,
  snapshot,
  committee,
  bonded: collateral,
  bp,
}: Json): Promise<void> {
  const { project_id, consensus_hash, epoch_secs } = snapshot
  const manifest = {
    consensus: {
      work: { epoch_secs, committee, dispute_window_secs: 86_400 },
      economics: { slashing_bp: { invalid_result: bp, missed_sla: bp } },
    },
  }
  await env.DB.batch([
    ...validators.map((key: string) =>
      env.DB.prepare(
        "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, 'validator', 'approved', '', 1)",
      ).bind(deriveNodeId(profile, key), key),
    ),
    env.DB.prepare(
      `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature, token,
        tiers_changed, boundary_secs, epoch_secs, submitted_at) VALUES (?, 1, 'active', '', ?, ?, '', '{}', '[]', 1, 1, 1)`,
    ).bind(project_id, consensus_hash, JSON.stringify(manifest)),
  ])
  for (const { node_key, subscription_id, owner, binding_hash } of snapshot.entries) {
    const nodeId = deriveNodeId(profile, node_key)
    await insertSubscription({
      subscriptionId: subscription_id,
      projectId: project_id,
      owner,
      nodeId,
      nodeKey: node_key,
    })
    await env.DB.prepare(
      "INSERT INTO bindings (binding_hash, action, node_id, public_key, owner, message, issued_at, nonce, accepted_at) VALUES (?, 'bind', ?, ?, ?, '', 1, '', 1)",
    )
      .bind(binding_hash, nodeId, node_key, owner)
      .run()
    await indexState('subscription', subscription_id, bonded(BigInt(collateral), owner))
  }
}

/** Lets the hub know nothing of the case before. */
export const forgetCase = () =>
  emptyTables('slashes', 'nodes', 'subscriptions', 'bindings', 'chain_states', 'project_versions')
