import { hashEvidence } from '../../../protocol/slashing/index.ts'
import { json } from '../../http/answer.ts'
import { sendSoon } from '../../outbox/send-soon.ts'
import { defineRoute, reply } from '../../route.ts'
import { recordOffence } from '../../slashing/record-offence.ts'
import { spendDraw } from '../committees/access.ts'
import { EvidenceInput, EvidenceKept, evidenceExample, SlashView, slashExample, slashView } from './schema.ts'

const recordedExample = {
  ...slashExample,
  status: 'recorded' as const,
  propose_tx: null,
  executable_at: null,
  recovery: 'wait' as const,
}

/** A finality vote over the largest committee has 160; there may be a hundred of them. */
const evidenceValuesMax = 20_000

export const createSlash = defineRoute(
  {
    method: 'post',
    path: '/v1/slashes',
    operationId: 'createSlash',
    tag: 'Slashing',
    summary: 'Prove an offence of a node',
    description:
      'Anyone may submit evidence. The hub records an offence once, also if several callers prove it. It proposes the slash on chain, and executes it once its dispute window has passed without a dispute.',
    budget: 'slash_evidence',
    stores: 'records',
    json: { schema: EvidenceInput, example: evidenceExample, valuesMax: evidenceValuesMax },
    errors: ['invalid_evidence'],
    responses: {
      ...reply(201, 'Recorded.', SlashView, recordedExample, { Location: 'The slash.' }),
      ...reply(
        202,
        'Stored: the evidence is valid, but its round is not over. Its end decides whether the node was at fault; only then is the offence recorded.',
        EvidenceKept,
        { status: 'kept' as const, evidence_hash: slashExample.evidence_hash },
        { Location: 'Path of the slash, once it is recorded.' },
      ),
      ...reply(
        200,
        'The offence is known already: its record, possibly with other evidence.',
        SlashView,
        slashExample,
        { Location: 'The slash.' },
      ),
    },
  },
  async (c, { json: evidence }) => {
    const recorded = await recordOffence(c.var.services, c.var.settings.PROFILE, evidence, (set) =>
      spendDraw(c, set),
    )
    if (recorded.status === 'kept') {
      const hash = hashEvidence(evidence)
      return json({ status: 'kept' as const, evidence_hash: hash }, 202, { Location: `/v1/slashes/${hash}` })
    }
    const { slash, isNew, now } = recorded
    if (isNew) sendSoon(c, 'propose_slash', slash.evidenceHash)
    const location = `/v1/slashes/${slash.evidenceHash}`
    return json(slashView(slash, now), isNew ? 201 : 200, { Location: location })
  },
)
