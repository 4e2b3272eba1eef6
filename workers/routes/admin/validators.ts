import * as z from 'zod'
import { generationSigners, quorum } from '../../../protocol/committees/index.ts'
import { deriveNodeId } from '../../../protocol/identity/index.ts'
import type { HubContext } from '../../context.ts'
import { json } from '../../http/answer.ts'
import { Bytes32 } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok, reply } from '../../route.ts'
import type { NewGeneration } from '../../stores/pending-generations.ts'
import { beginGenerations, type GenerationChange, makeGeneration } from '../../validators/make-generation.ts'
import { generationExample, NodeIds, PendingView } from '../validators/schema.ts'
import { ofOperators, Reason } from './schema.ts'

const Made = z
  .strictObject({
    generation: z.int(),
    effective_at: z.int(),
    hash: Bytes32,
    validators: z.int(),
    pending: z.boolean().describe('Whether the generation waits for the signatures of a quorum.'),
  })
  .meta({ id: 'MadeGeneration' })

const madeExample: z.output<typeof Made> = {
  generation: 1,
  effective_at: 1_793_000_340,
  hash: generationExample.hash,
  validators: 5,
  pending: true,
}

const viewOf = ({ document, hash }: NewGeneration): z.output<typeof Made> => ({
  generation: document.generation,
  effective_at: document.effective_at,
  hash,
  validators: document.validators.length,
  pending: document.generation > 0,
})

export const beginValidators = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/validators/genesis',
    operationId: 'beginValidators',
    summary: 'Set generation 0 of the validators, once',
    description:
      'Names registered validators, and approves them. Before this call the network has no validators.',
    ...ofOperators,
    json: {
      schema: z.strictObject({ node_ids: NodeIds.min(1), reason: Reason }).meta({ id: 'ValidatorGenesis' }),
      example: { node_ids: [generationExample.validators[0]?.node_id ?? ''] },
    },
    errors: ['not_found', 'invalid_state'],
    responses: reply(
      201,
      'In force from time 0.',
      Made,
      { ...madeExample, generation: 0, effective_at: 0, pending: false },
      { Location: 'The generation.' },
    ),
  },
  async (c, { json: { node_ids, reason } }) => {
    const by = { operator: sessionOf(c).address, reason }
    const made = await beginGenerations(c.var.services, c.var.settings.PROFILE, [...new Set(node_ids)], by)
    await tellLinks(c, node_ids)
    return json(viewOf(made), 201, { Location: '/v1/validators?generation=0' })
  },
)

export const changeValidators = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/validators/generations',
    operationId: 'changeValidators',
    summary: 'Make the next generation of validators',
    description:
      'The hub asks the validators of the previous generation for their signatures until a quorum of them has signed. Until then the previous generation stays in force, and no other generation can be made. A generation without a quorum a minute before it takes effect lapses, and the hub makes it again with a later `effective_at`. `emergency` revokes the keys of the removed validators at once and replaces the generation in force for everything that is not final; a quorum of the remaining validators must sign it. An emergency generation can replace a generation that waits for signatures, and then restores the status of the nodes that this one had changed.',
    ...ofOperators,
    json: {
      schema: z
        .strictObject({
          approve: NodeIds.default([]),
          revoke: NodeIds.default([]),
          emergency: z.boolean().default(false),
          reason: Reason,
        })
        .meta({ id: 'ValidatorChange' }),
      example: { approve: [generationExample.validators[0]?.node_id ?? ''], revoke: [] },
    },
    errors: ['not_found', 'invalid_state'],
    responses: reply(202, 'It waits for signatures.', Made, madeExample, {
      Location: 'The generation, once it has a quorum.',
    }),
  },
  async (c, { json: { approve, revoke, emergency, reason } }) => {
    const change = { approve: [...new Set(approve)], revoke: [...new Set(revoke)], emergency }
    const made = viewOf(await makeNext(c, change, reason))
    await tellLinks(c, [...change.approve, ...change.revoke])
    return json(made, 202, { Location: `/v1/validators?generation=${made.generation}` })
  },
)

export const getPendingValidators = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/validators/pending',
    operationId: 'getPendingValidators',
    summary: 'Read the generation that waits for signatures',
    description: 'With the signatures that it has, and those that it still needs.',
    ...ofOperators,
    responses: ok(
      'The generation that waits for signatures; `pending` is null if no generation waits.',
      z.strictObject({ pending: PendingView.nullable() }).meta({ id: 'PendingValidators' }),
      { pending: null },
    ),
  },
  async (c) => {
    const { PROFILE: profile } = c.var.settings
    const { validators, pendingGenerations } = c.var.services
    const [last, pending] = await Promise.all([validators.last(), pendingGenerations.find()])
    if (last === null || pending === null) return json({ pending: null })
    const signers = generationSigners(last.document, pending.document)
    const signed = pending.signatures.map(({ publicKey }) => publicKey)
    const idsOf = (keys: readonly string[]) => keys.map((key) => deriveNodeId(profile, key))
    return json({
      pending: {
        generation: pending.document.generation,
        effective_at: pending.document.effective_at,
        hash: pending.hash,
        validators: pending.document.validators.map(({ node_id }) => node_id),
        signed_by: idsOf(signed),
        awaited: idsOf(signers.filter((key) => !signed.includes(key))),
        quorum: quorum(signers.length),
        made_at: pending.madeAt,
        renewals: pending.renewals,
        attempts: pending.attempts,
        next_attempt_at: pending.nextAttemptAt,
      },
    })
  },
)

/** Makes the next generation, and has it signed from now on. */
export async function makeNext(
  c: HubContext,
  change: Omit<GenerationChange, 'emergency'> & Partial<GenerationChange>,
  reason: string | null,
): Promise<NewGeneration> {
  const { PROFILE } = c.var.settings
  const by = { operator: sessionOf(c).address, reason }
  const made = await makeGeneration(c.var.services, PROFILE, { emergency: false, ...change }, by)
  // It waits in the database: should this fail, the schedule goes on.
  c.executionCtx.waitUntil(c.var.services.generationKeeper.wake().catch(console.error))
  return made
}

/** Has the links of nodes look at the records, which have changed. A link that does not answer looks by itself, within five minutes. */
export async function tellLinks(c: HubContext, nodeIds: readonly string[]): Promise<void> {
  const { links, nodes } = c.var.services
  const changed = await nodes.findAll(nodeIds)
  const told = await Promise.allSettled(changed.map(({ publicKey }) => links(publicKey).refresh()))
  for (const one of told) if (one.status === 'rejected') console.error(one.reason)
}
