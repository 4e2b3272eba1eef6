import { windowTime } from '../../chain/window-time.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { evidenceExample, requireSlash, SlashDetail, SlashParams, slashExample, slashView } from './schema.ts'

export const getSlash = defineRoute(
  {
    method: 'get',
    path: '/v1/slashes/{evidence_hash}',
    operationId: 'getSlash',
    tag: 'Slashing',
    summary: 'Read a slash with its evidence',
    description: 'With everything that the offence can be checked with.',
    params: SlashParams,
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('As of the newest indexed block.', SlashDetail, {
      ...slashExample,
      evidence: evidenceExample,
    }),
  },
  async (c, { params: { evidence_hash } }) => {
    const { slashes } = c.var.services
    const [slash, evidence, now] = await Promise.all([
      requireSlash(c, evidence_hash),
      slashes.evidence(evidence_hash),
      windowTime(c.var.services),
    ])
    return json({ ...slashView(slash, now), evidence })
  },
)
