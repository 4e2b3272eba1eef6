import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { nodeOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { ReadSet } from '../../stores/committee-sets.ts'
import { countingKeys, describeGeneration } from '../../stores/validators.ts'
import { isAttestationOf } from '../../validators/attestation.ts'
import { noSet } from '../committees/access.ts'
import { attestedSnapshot } from '../committees/attested-snapshot.ts'
import {
  AttestationShape,
  AttestedSnapshotView,
  attestationExample,
  attestedExample,
  SetParams,
  SnapshotView,
  snapshotExample,
} from '../committees/schema.ts'

const path = '/v1/nodes/committee-sets/{project_id}/{epoch}'

export const getNodeCommitteeSet = defineRoute(
  {
    method: 'get',
    path,
    operationId: 'getNodeCommitteeSet',
    tag: 'Nodes',
    summary: 'Get a committee set to check and attest',
    description:
      'For validators. The hub also pushes the set to `POST /consensus/committee-sets` of their own API, whose answer is the attestation.',
    auth: { node: 'known_key' },
    params: SetParams,
    errors: ['not_found'],
    responses: ok('The set, attested or not.', SnapshotView, snapshotExample),
  },
  async (c, { params: { project_id, epoch } }) => {
    const set = await requireSet(c, project_id, epoch)
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': String(set.bytes) },
      body: c.req.method === 'HEAD' ? null : await c.var.services.committeeSets.open(set.setHash),
    }
  },
)

export const attestCommitteeSet = defineRoute(
  {
    method: 'post',
    path,
    operationId: 'attestCommitteeSet',
    tag: 'Nodes',
    summary: 'Attest a committee set',
    description:
      'For validators. Each sends its own signature over the `set_hash` of the set that it rebuilt. The hub keeps the first signature of each validator.',
    auth: { node: 'known_key' },
    params: SetParams,
    json: { schema: AttestationShape, example: attestationExample },
    errors: ['not_found', 'invalid_evidence'],
    responses: ok('The set, with the signature.', AttestedSnapshotView, attestedExample),
  },
  async (c, { params: { project_id, epoch }, json: attestation }) => {
    const { committeeSets, committees, clock } = c.var.services
    const set = await requireSet(c, project_id, epoch)
    const { publicKey } = nodeOf(c)
    if (attestation.public_key !== publicKey)
      throw new ApiError('invalid_evidence', 'Attest with the key that signed the request.', {
        details: { path: 'public_key' },
      })
    if (!isAttestationOf(c.var.settings.PROFILE, set.setHash, publicKey, attestation))
      throw new ApiError(
        'invalid_evidence',
        `The signature is not from this node over the set ${set.setHash}. Rebuild the set and sign its hash.`,
        { details: { path: 'signature', set_hash: set.setHash } },
      )
    await committeeSets.attest(set, [{ publicKey, signature: attestation.signature }], await clock.now())
    const counted = (await committeeSets.find(project_id, epoch)) ?? set
    // Tasks may wait for this set. Their own alarm looks again should this fail.
    if (counted.valid && !set.valid)
      c.executionCtx.waitUntil(Promise.resolve(committees?.(project_id).nudge()).catch(console.error))
    return attestedSnapshot(c, counted)
  },
)

/** @throws {@link ApiError} 403 `forbidden` unless a validator of the epoch calls, 404 `not_found`. */
async function requireSet(c: HubContext, projectId: string, epoch: number): Promise<ReadSet> {
  const { validators, committeeSets, clock } = c.var.services
  const [generation, set] = await Promise.all([
    validators.ofSet(projectId, epoch),
    committeeSets.find(projectId, epoch),
  ])
  if (set === null) throw noSet(projectId, epoch)
  if (!countingKeys(generation, await clock.now()).includes(nodeOf(c).publicKey))
    throw new ApiError(
      'forbidden',
      `This call is for validators of the epoch: ${describeGeneration(generation)}.`,
    )
  return set
}
