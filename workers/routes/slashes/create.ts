import { deriveOffenceId, type Evidence, hashEvidence } from '../../../protocol/settlement/index.ts'
import type { HubContext } from '../../context.ts'
import { type Answer, json } from '../../http/answer.ts'
import { bringSoon } from '../../relay/bring-soon.ts'
import { defineRoute } from '../../route.ts'
import { proveOffence } from '../../settlement/evidence.ts'
import { windowTime } from '../../settlement/window-time.ts'
import type { Slash } from '../../stores/slashes.ts'
import { spendDraw } from '../committees/draw-budget.ts'
import { EvidenceInput, evidenceExample, SlashView, slashExample, slashView } from './schema.ts'

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
      'Anyone may. An offence is recorded once, whoever proves it and however often. The hub then proposes the slash on the chain, and executes it when its window has passed without a dispute.',
    budget: 'slash_evidence',
    stores: 'records',
    json: { schema: EvidenceInput, example: evidenceExample, valuesMax: evidenceValuesMax },
    errors: ['invalid_evidence'],
    responses: {
      201: {
        description: 'Recorded.',
        schema: SlashView,
        example: recordedExample,
        headers: { Location: 'The slash.' },
      },
      200: {
        description: 'The offence is known: its record, which may be of other evidence.',
        schema: SlashView,
        example: slashExample,
        headers: { Location: 'The slash.' },
      },
    },
  },
  async (c, { json: evidence }) => {
    const { slashes } = c.var.services
    const [known, now] = await Promise.all([slashes.find(hashEvidence(evidence)), windowTime(c.var.services)])
    // It was proven when it was recorded; who validates may have changed since.
    return known ? answer(known, 200, now) : record(c, evidence, now)
  },
)

async function record(c: HubContext, evidence: Evidence, now: number): Promise<Answer> {
  const { slashes } = c.var.services
  const { slash, disputeWindowSecs } = await proveOffence(
    c.var.services,
    c.var.settings.PROFILE,
    evidence,
    (set) => spendDraw(c, set),
    now,
  )
  const offenceId = deriveOffenceId(evidence)
  const earlier = await slashes.findOffence(offenceId)
  if (earlier) return answer(earlier, 200, now)
  await slashes.record(slash, evidence, disputeWindowSecs, now)
  const recorded = await slashes.findOffence(offenceId)
  if (recorded === null) throw new Error(`the offence ${offenceId} was recorded and is gone`)
  // Of racing evidence one was taken.
  const isOurs = recorded.evidenceHash === slash.evidenceHash
  if (isOurs) bringSoon(c, 'propose_slash', slash.evidenceHash)
  return answer(recorded, isOurs ? 201 : 200, now)
}

const answer = (slash: Slash, status: 200 | 201, now: number): Answer =>
  json(slashView(slash, now), status, { Location: `/v1/slashes/${slash.evidenceHash}` })
