import * as z from 'zod'
import { generationValidatorsMax } from '../../../protocol/committees/index.ts'
import { example } from '../../examples.ts'
import { Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import type { Generation } from '../../stores/validators.ts'
import { AttestationShape, attestationExample } from '../committees/schema.ts'

export const ValidatorView = z.strictObject({
  public_key: Bytes32,
  node_id: NodeId,
  url: z
    .string()
    .nullable()
    .describe('Null if the validator cannot be called, for example after its key was revoked.'),
  region: z.string().nullable(),
})

const effectiveAt = z
  .int()
  .describe('Unix seconds. Its validators count for epochs with a beacon at or after this time.')

export const GenerationView = z
  .strictObject({
    v: z.literal(1),
    network: z.string(),
    generation: z.int(),
    effective_at: effectiveAt,
    prev_hash: Bytes32,
    validators: z
      .array(ValidatorView)
      .describe('Ascending by key. The hashed document has only their keys and node ids.'),
    hash: Bytes32,
    coordinator: AttestationShape,
    signatures: z
      .array(AttestationShape)
      .describe(
        'Signatures of a quorum of the validators of the previous generation; empty for generation 0.',
      ),
  })
  .meta({ id: 'ValidatorGeneration' })

export const generationView = ({
  document,
  hash,
  coordinator,
  signatures,
  validators,
}: Generation): z.output<typeof GenerationView> => ({
  ...document,
  validators: validators.map(({ publicKey, nodeId, url, region }) => ({
    public_key: publicKey,
    node_id: nodeId,
    url,
    region,
  })),
  hash,
  coordinator,
  signatures: [...signatures],
})

const nodeId = '{{node_id_prefix}}0f3a5c7e9b1d2f40'

export const generationExample: z.output<typeof GenerationView> = {
  v: 1,
  network: '{{network}}',
  generation: 0,
  effective_at: 0,
  prev_hash: `0x${'00'.repeat(32)}`,
  validators: [
    { public_key: example.digest, node_id: nodeId, url: 'https://validator.example', region: 'eu-west' },
  ],
  hash: example.digest,
  coordinator: attestationExample,
  signatures: [],
}

export const PendingView = z
  .strictObject({
    generation: z.int(),
    effective_at: effectiveAt,
    hash: Bytes32,
    validators: z.array(NodeId),
    signed_by: z.array(NodeId),
    awaited: z.array(NodeId).describe('Validators of the previous generation that can still sign.'),
    quorum: z.int().describe('Number of signatures that it needs.'),
    made_at: Timestamp,
    renewals: z
      .int()
      .describe(
        'How often this generation lapsed without a quorum and was made again with a later `effective_at`.',
      ),
    attempts: z.int().describe('Requests for signatures since the generation was last made.'),
    next_attempt_at: Timestamp,
  })
  .meta({ id: 'PendingGeneration' })

export const NodeIds = z.array(NodeId).max(generationValidatorsMax)
