import { env } from 'cloudflare:workers'
import { attestSnapshot } from '../../protocol/committees/index.ts'
import { deriveNodeId, resolveProfile } from '../../protocol/identity/index.ts'
import receipts from '../../protocol/vectors/receipt-v2.json'
import { services } from '../services.ts'
import type { RoundFile } from '../stores/round-files.ts'
import { createNode } from './callers.ts'
import { bonded, indexState, indexWholeChain, insertSubscription } from './evidence.ts'
import { keepSet } from './kept-set.ts'
import type { Json } from './known-answers.ts'
import { emptyTables, runSql } from './tables.ts'
import { setValidators } from './validators.ts'

/** Seeds of a quorum of the validators that known answers name. */
export const validatorSeeds: readonly string[] = receipts.cases[0]?.input.seeds ?? []

/** The settings of a hub of the network that a snapshot names. */
export const hubOf = ({ network }: Json) => ({ bindings: { PROFILE: JSON.stringify({ network }) } })

/** The case that the hub knows, without its evidence. */
let known: string | null = null

/**
 * Lets the hub know what a known answer about evidence names, and nothing else: validators, the project’s consensus, who is
 * bonded, and the set of the epoch, which the validators attest. After a case that has left nothing, it may know all of it.
 */
export async function knowCase(input: Json): Promise<void> {
  const { evidence, ...others } = input
  const { kind, round_id, node_key } = evidence
  const named = JSON.stringify([others, kind === 'missed_sla' && [round_id, node_key]])
  if (named === known) return
  await forgetCase()
  await Promise.all([insertValidators(input), insertConsensus(input), insertMiners(input), indexWholeChain()])
  const { snapshot, committee, validators } = input
  const setHash = await keepSet(snapshot, committee)
  if (input.evidence.kind === 'missed_sla') await insertRound(input)
  const path = `/v1/nodes/committee-sets/${snapshot.project_id}/${snapshot.epoch}`
  for (const seed of validatorSeeds) {
    const validator = createNode(hubOf(snapshot), seed)
    if (validators.includes(validator.publicKey))
      await validator.call(
        'POST',
        path,
        attestSnapshot(resolveProfile({ network: snapshot.network }), validator.key, setHash),
      )
  }
  known = named
}

function insertValidators({ validators, snapshot: { network } }: Json) {
  const profile = resolveProfile({ network })
  const known = validators.map((key: string) => ({ nodeId: deriveNodeId(profile, key), publicKey: key }))
  return setValidators(known, { profile })
}

async function insertConsensus({ snapshot, committee, bp }: Json): Promise<void> {
  const { project_id, consensus_hash, epoch_secs } = snapshot
  const manifest = {
    consensus: {
      work: { epoch_secs, committee, dispute_window_secs: 86_400 },
      economics: { slashing_bp: { invalid_result: bp, missed_sla: bp } },
    },
  }
  await runSql(
    `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature, token,
      tiers_changed, boundary_secs, epoch_secs, submitted_at) VALUES (?, 1, 'active', '', ?, ?, '', '{}', '[]', 1, 1, 1)`,
    project_id,
    consensus_hash,
    JSON.stringify(manifest),
  )
}

/** The record of a round that is final, in which the accused accepted its offer and gave no vote. */
async function insertRound({ evidence: { round_id: roundId, node_key: nodeKey } }: Json): Promise<void> {
  const lease = { nodeKey, role: 'primary', state: 'missed', missedBecause: 'late' }
  const round = { roundId, state: 'finalized', fallback: null, finalizedAt: 1 }
  await services(env).roundFiles.record({
    round_id: roundId,
    finality: null,
    published: { round, leases: [lease] },
  } as unknown as RoundFile)
}

async function insertMiners({ snapshot, bonded: collateral }: Json): Promise<void> {
  for (const { node_key, subscription_id, owner, binding_hash } of snapshot.entries) {
    const nodeId = deriveNodeId(resolveProfile({ network: snapshot.network }), node_key)
    await insertSubscription({
      subscriptionId: subscription_id,
      projectId: snapshot.project_id,
      owner,
      nodeId,
      nodeKey: node_key,
    })
    await runSql(
      "INSERT INTO bindings (binding_hash, action, node_id, public_key, owner, message, issued_at, nonce, accepted_at) VALUES (?, 'bind', ?, ?, ?, '', 1, '', 1)",
      binding_hash,
      nodeId,
      node_key,
      owner,
    )
    await indexState('subscription', subscription_id, bonded(BigInt(collateral), owner))
  }
}

/** Lets the hub know nothing of the case before. */
export async function forgetCase(): Promise<void> {
  known = null
  await emptyTables(
    'slashes',
    'rounds',
    'leases',
    'nodes',
    'validator_generations',
    'subscriptions',
    'bindings',
    'chain_states',
    'project_versions',
    'committee_sets',
    'committee_set_attestations',
  )
}
