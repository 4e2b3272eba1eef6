import { env } from 'cloudflare:workers'
import {
  hashGeneration,
  noGenerationHash,
  signGeneration,
  type ValidatorGeneration,
} from '../../protocol/committees/index.ts'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import { type Profile, resolveProfile } from '../../protocol/identity/index.ts'
import { services } from '../services.ts'
import { runSql } from './tables.ts'

/** A validator as the hub knows it; its `url` is where it is called. */
export interface KnownValidator {
  nodeId: string
  publicKey: string
  url?: string
}

/** Signs what tests make. */
const coordinatorSeed = `0x${'c0'.repeat(32)}`

interface GenerationOptions {
  /** When it takes effect; left out, it replaces what is in force. */
  effectiveAt?: number
  /** When the hub had what it is signed with; left out, before everything. */
  wholeAt?: number
  profile?: Profile
}

/** Makes keys those of the validators: of every epoch that is not final, unless it says from when on they are. */
export async function setValidators(
  validators: readonly KnownValidator[],
  options: GenerationOptions = {},
): Promise<void> {
  await env.DB.batch([
    // A batch of nothing is refused.
    env.DB.prepare('SELECT 1'),
    ...validators.map(({ nodeId, publicKey, url = 'https://validator.example' }) =>
      env.DB.prepare(
        "INSERT OR IGNORE INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, 'validator', 'approved', ?, 1)",
      ).bind(nodeId, publicKey, url),
    ),
  ])
  await setGeneration(validators, options)
}

/** Makes keys those of validators beside those that there are. */
export async function addValidators(
  validators: readonly KnownValidator[],
  options: GenerationOptions = {},
): Promise<void> {
  const last = await services(env).validators.last()
  await setValidators(
    [...(last?.validators.map(({ nodeId, publicKey }) => ({ nodeId, publicKey })) ?? []), ...validators],
    options,
  )
}

/** Puts a generation onto the chain that no validator has signed, as the hub does with one that is whole. */
async function setGeneration(
  validators: readonly KnownValidator[],
  { effectiveAt = 0, wholeAt = 0, profile = resolveProfile() }: GenerationOptions,
): Promise<void> {
  const last = await services(env).validators.last()
  const document: ValidatorGeneration = {
    v: 1,
    network: profile.network,
    generation: last === null ? 0 : last.document.generation + 1,
    effective_at: effectiveAt,
    prev_hash: last?.hash ?? noGenerationHash,
    validators: validators
      .map(({ publicKey, nodeId }) => ({ public_key: publicKey, node_id: nodeId }))
      .sort((a, b) => (a.public_key < b.public_key ? -1 : 1)),
  }
  await runSql(
    'INSERT INTO validator_generations VALUES (?, ?, ?, ?, ?, ?, ?, ?8, ?8)',
    ...[document.generation, document.effective_at, document.prev_hash],
    ...[hashGeneration(profile, document), encodeCanonicalJson(document)],
    ...[JSON.stringify(signGeneration(profile, coordinatorSeed, document)), '[]', wholeAt],
  )
}
