import * as z from 'zod'
import { type ChainState, vaultTerms } from '../../../chain/projections.ts'
import { json } from '../../../http/answer.ts'
import { defineRoute, ok } from '../../../route.ts'
import type { Analytics } from '../../../stores/project-analytics.ts'
import type { ProjectRecord } from '../../../stores/projects.ts'
import { type ProjectFacts, WhyFactStore } from '../../../stores/why-facts.ts'
import { healthCauses, type VersionStart } from '../../../why/health-causes.ts'
import { CauseView, causeExample, causesView } from '../../../why/view.ts'
import { findOwn } from '../../projects/access.ts'
import { economicsView, manifestOf } from '../../projects/view.ts'
import { ofOwnProject, sumOf } from './analytics.ts'

/** The gravest first. */
const states = ['paused', 'underfunded', 'fallback', 'degraded', 'healthy'] as const

const HealthView = z
  .strictObject({
    status: z.enum(states).describe('The gravest that applies: paused, underfunded, fallback, degraded.'),
    eligible_miners: z.int().describe('Members of the newest committee set.'),
    committee_size: z.int(),
    fallback_rounds_24h: z.int().describe('Rounds without a committee.'),
    contested_rounds_24h: z.int().describe('Rounds in which members voted for different results.'),
    median_finality_ms: z.int().optional().describe('Of the last settled epoch; absent before.'),
    runway_epochs: z.int().describe('Epochs that the vault can pay at their cap.'),
    issues: z.array(z.string()).describe('The codes of `causes`.'),
    causes: z.array(CauseView).describe('The problems to repair, errors first.'),
  })
  .meta({ id: 'ProjectHealth' })

export const getProjectHealth = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/projects/{project_id}/health',
    operationId: 'getProjectHealth',
    summary: 'Read what is wrong with your project',
    description: 'Says why a project has no committees or does not pay, with figures of the last day.',
    ...ofOwnProject,
    responses: ok('The state of the project.', HealthView, {
      status: 'degraded',
      eligible_miners: 6,
      committee_size: 5,
      fallback_rounds_24h: 0,
      contested_rounds_24h: 1,
      median_finality_ms: 4_120,
      runway_epochs: 40,
      issues: ['rounds_contested'],
      causes: [causeExample],
    }),
  },
  async (c, { params: { project_id: id } }) => {
    const { clock, store } = c.var.services
    const now = await clock.now()
    const [record, { analytics, facts }] = await Promise.all([
      findOwn(c, id),
      store(WhyFactStore).ofProject(id, now - 86_400, now),
    ])
    return json(healthView(record, analytics, facts, { now, origin: c.var.settings.BASE_URL.origin }))
  },
)

function healthView(
  { project, current, pending, vault }: ProjectRecord,
  { eligible, days, last }: Analytics,
  facts: ProjectFacts | null,
  { now, origin }: { now: number; origin: string },
) {
  const manifest = manifestOf(current)
  const economics = economicsView(project, manifest, vault, now)
  const [fallback, contested] = [sumOf(days, 'fallback'), sumOf(days, 'contested')]
  const failed = sumOf(days, 'rounds') - sumOf(days, 'finalized')
  const rounds = { fallback, contested, failed }
  const unpaid = pending !== null && vault !== null && !hasEpochsOf(vault, pending) ? pending : null
  const causes = causesView(
    healthCauses({ project: facts, eligible, vault: economics.vault, unpaid, ...rounds }, now),
    origin,
    true,
  )
  const found = causes.map(({ code }) => statusBy[code])
  return {
    status: states.find((status) => found.includes(status)) ?? 'healthy',
    eligible_miners: eligible,
    committee_size: manifest.consensus.work.committee.size,
    fallback_rounds_24h: fallback,
    contested_rounds_24h: contested,
    ...(typeof last?.medianFinalityMs === 'number' && { median_finality_ms: last.medianFinalityMs }),
    runway_epochs: economics.vault.runway_epochs,
    issues: causes.map(({ code }) => code),
    causes,
  }
}

/** Whether a vault has the epochs of a version from its start on; so it has, as long as nobody knows when that is. */
const hasEpochsOf = (vault: ChainState, { effectiveAt, epochSecs }: VersionStart): boolean =>
  effectiveAt === null || vaultTerms(vault, effectiveAt)?.epoch_secs === epochSecs

/** The status that each cause leads to; a cause that only explains is not listed. */
const statusBy: Partial<Record<string, (typeof states)[number]>> = {
  project_paused: 'paused',
  project_delisted: 'paused',
  project_not_listed: 'paused',
  project_underfunded: 'underfunded',
  vault_missing: 'underfunded',
  vault_empty: 'underfunded',
  vault_terms_differ: 'degraded',
  no_validators: 'fallback',
  committee_too_small: 'fallback',
  set_not_built: 'degraded',
  set_not_attested: 'degraded',
  rounds_without_committee: 'degraded',
  rounds_contested: 'degraded',
  rounds_failed: 'degraded',
}
