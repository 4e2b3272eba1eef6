import * as z from 'zod'
import { generationValidatorsMax, paramsOfEpoch, quorum } from '../../../protocol/committees/index.ts'
import {
  attemptStart,
  type BuiltEpochReceipt,
  countEpochAttestations,
  type EpochReceipt,
  parseEpochReceipt,
  type RecomputedReceipt,
  receiptWaitsUntil,
  recomputeEpochReceipt,
} from '../../../protocol/earnings/index.ts'
import { FormatError, isObject } from '../../../protocol/encoding/index.ts'
import type { ProjectRules } from '../../../protocol/manifest/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { Bytes32, judged } from '../../http/formats.ts'
import { nodeOf } from '../../middleware/authenticate.ts'
import { verifyNatively } from '../../native-ed25519.ts'
import { bringHubAction } from '../../outbox/hub-actions.ts'
import { openRounds } from '../../rounds/open-rounds.ts'
import { defineRoute, reply } from '../../route.ts'
import { epochSubject } from '../../stores/epochs.ts'
import type { ProjectVersion } from '../../stores/projects.ts'
import { countingKeys, describeGeneration } from '../../stores/validators.ts'
import { epochReceiptShape, receiptExample } from '../explorer/schema.ts'
import { manifestOf } from '../projects/view.ts'

/** 10,000 recipients take 1.6 MB at most. */
const bytesMax = 4 * 1024 * 1024
const valuesMax = 60_000
/** After how long rounds that are open may be over. */
const openRetrySeconds = 10

const Queued = z
  .strictObject({
    status: z.literal('queued'),
    receipt_hash: Bytes32,
    attestations_counted: z.int().describe('Validators of the epoch, each counted once.'),
    quorum: z.int(),
  })
  .meta({ id: 'EpochReceiptResult' })

export const submitEpochReceipt = defineRoute(
  {
    method: 'post',
    path: '/v1/nodes/epoch-receipts',
    operationId: 'submitEpochReceipt',
    tag: 'Nodes',
    summary: 'Submit the receipt of an epoch, attested by a quorum of validators',
    description:
      'For validators of the epoch. The hub recomputes the receipt under the project rules at the start of the epoch, and posts the root to the vault. It waits for open rounds of the epoch until `round_secs` + 360 s after the end.',
    auth: { node: 'known_key' },
    json: {
      schema: judged('RewardReceiptV2', epochReceiptShape),
      example: receiptExample,
      bytesMax,
      valuesMax,
    },
    errors: ['forbidden', 'duplicate', 'invalid_evidence'],
    responses: {
      ...reply(
        202,
        'The root will be posted.',
        Queued,
        {
          status: 'queued',
          receipt_hash: receiptExample.receipt_hash,
          attestations_counted: 4,
          quorum: 4,
        },
        { Location: 'The epoch, with its receipt and its settlement.' },
      ),
      425: {
        description:
          'It is too early (`invalid_state`): rounds of the epoch are open (reason `rounds_open`), or the first attempt has not started (`too_early`).',
        code: 'invalid_state',
      },
    },
  },
  async (c, { json: posted }) => {
    const { validators, epochs, projectVersions, clock } = c.var.services
    const receipt = readReceipt(posted)
    const { project_id, round, epoch_secs, receipt_hash, vault_address } = receipt
    const [known, version] = await Promise.all([
      epochs.find(project_id, round),
      projectVersions.consensusAt(project_id, round * epoch_secs),
    ])
    const generation = await validators.ofEpoch(round, version?.epochSecs ?? epoch_secs)
    const now = await clock.now()
    const keys = countingKeys(generation, now)
    if (!keys.includes(nodeOf(c).publicKey))
      throw new ApiError(
        'forbidden',
        `Only validators of the epoch submit its receipt: ${describeGeneration(generation)}.`,
      )
    if (known !== null) throw duplicate(receipt)
    const built = requireRecomputed(c, receipt, version, now)
    const counted = countEpochAttestations(c.var.settings.PROFILE, receipt, keys, verifyNatively)
    const needed = quorum(keys.length)
    if (counted < needed)
      throw new ApiError(
        'forbidden',
        `${counted} validators of the epoch attested this receipt, and ${needed} are needed.`,
        { details: { attestations_counted: counted, quorum: needed } },
      )
    await requireDue(c, receipt, manifestOf(version as ProjectVersion).consensus, now)
    const accepted = { receipt, built, token: (version as ProjectVersion).token, attestations: counted }
    if ((await epochs.accept(accepted, now)) === 'duplicate') throw duplicate(receipt)
    // If this fails, the schedule tries again.
    c.executionCtx.waitUntil(
      bringHubAction(c.env, 'post_epoch', epochSubject(vault_address, round)).catch((error) =>
        console.error(`${c.var.requestId} the epoch could not be posted`, error),
      ),
    )
    return json({ status: 'queued', receipt_hash, attestations_counted: counted, quorum: needed }, 202, {
      Location: `/v1/explorer/epochs/${project_id}/${round}`,
    })
  },
)

function readReceipt(posted: unknown): EpochReceipt {
  const surplus = isObject(posted) && Object.keys(posted).find((name) => !(name in epochReceiptShape.shape))
  if (surplus) throw invalidField(surplus, 'is not a member of a receipt; remove it')
  try {
    const receipt = parseEpochReceipt(posted)
    if (receipt.attestations.length > generationValidatorsMax)
      throw new FormatError('attestations', `a list of at most ${generationValidatorsMax}`)
    return receipt
  } catch (error) {
    if (error instanceof FormatError) throw invalidField(error.field, error.message)
    throw error
  }
}

/** The receipt as its units give it. @throws {@link ApiError} 422 `invalid_evidence`. */
function requireRecomputed(
  c: HubContext,
  receipt: EpochReceipt,
  version: ProjectVersion | null,
  now: number,
): BuiltEpochReceipt {
  const { project_id, round, epoch_secs } = receipt
  const refuse = (message: string) => new ApiError('invalid_evidence', message)
  if (version === null) throw refuse(`There is no project ${project_id}, or it is not public.`)
  const endsAt = (round + 1) * epoch_secs
  if (endsAt > now) throw refuse(`The epoch ends at ${endsAt}; the network time is ${now}.`)
  const { consensus } = manifestOf(version)
  if (receipt.consensus_hash !== version.consensusHash)
    throw refuse(`The consensus of the epoch is ${version.consensusHash}, not ${receipt.consensus_hash}.`)
  const recomputed = recompute()
  if ('built' in recomputed) return recomputed.built
  throw new ApiError(
    'invalid_evidence',
    `${recomputed.differs}: differs from the result of the units under the consensus of the epoch.`,
    { details: { path: recomputed.differs } },
  )

  function recompute(): RecomputedReceipt {
    try {
      return recomputeEpochReceipt(c.var.settings.PROFILE, receipt, consensus)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      throw refuse(`The receipt cannot be computed: ${error.message}`)
    }
  }
}

/**
 * A receipt waits for the rounds of its epoch (section 23): what is final after it is paid by nobody. @throws {@link ApiError} 425 `invalid_state`.
 */
async function requireDue(
  c: HubContext,
  { project_id, round }: EpochReceipt,
  { work }: ProjectRules,
  now: number,
): Promise<void> {
  const params = paramsOfEpoch(c.var.services.paramsSchedule, round, work.epoch_secs)
  const from = attemptStart(round, work.epoch_secs, 0, params)
  if (now < from)
    throw tooEarly(
      `Receipts of the epoch ${round} are accepted from ${from} on; the network time is ${now}.`,
      from - now,
      { reason: 'too_early', from },
    )
  const until = receiptWaitsUntil(round, work)
  if (now >= until) return
  const open = await openRounds(c.var.services, project_id, round)
  if (open > 0)
    throw tooEarly(
      `${open} of the epoch's rounds are open. Its receipt waits for them until ${until}.`,
      Math.min(openRetrySeconds, until - now),
      { reason: 'rounds_open', open_rounds: open, until },
    )
}

const tooEarly = (message: string, seconds: number, details: Record<string, unknown>): ApiError =>
  new ApiError('invalid_state', message, {
    status: 425,
    details,
    headers: { 'Retry-After': String(seconds) },
  })

const duplicate = ({ project_id, round }: EpochReceipt): ApiError =>
  new ApiError('duplicate', `The epoch ${round} of ${project_id} has its receipt already.`, {
    details: { status: 'duplicate' },
  })
