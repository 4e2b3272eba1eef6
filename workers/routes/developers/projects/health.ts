import * as z from 'zod'
import { json } from '../../../http/answer.ts'
import { defineRoute, ok } from '../../../route.ts'
import { type Analytics, ProjectAnalyticsStore } from '../../../stores/project-analytics.ts'
import type { ProjectRecord } from '../../../stores/projects.ts'
import { findOwn } from '../../projects/access.ts'
import { economicsView, manifestOf } from '../../projects/view.ts'
import { ofOwnProject, sumOf } from './analytics.ts'

const states = ['healthy', 'degraded', 'underfunded', 'paused', 'fallback'] as const

const HealthView = z
  .strictObject({
    status: z.enum(states).describe('The first that applies: paused, underfunded, fallback, degraded.'),
    eligible_miners: z.int().describe('Members of the newest committee set.'),
    committee_size: z.int(),
    fallback_rounds_24h: z.int().describe('Rounds without a committee.'),
    contested_rounds_24h: z.int().describe('Rounds in which members voted for different results.'),
    median_finality_ms: z.int().optional().describe('Of the last settled epoch; absent before.'),
    runway_epochs: z.int().describe('Epochs that the vault can pay at their cap.'),
    issues: z.array(z.string()).describe('What to repair.'),
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
      issues: ['1 round of the last 24 hours had votes for different results: see its proofs.'],
    }),
  },
  async (c, { params: { project_id: id } }) => {
    const { clock, store } = c.var.services
    const now = await clock.now()
    const [record, analytics] = await Promise.all([
      findOwn(c, id),
      store(ProjectAnalyticsStore).read(id, now - 86_400, now),
    ])
    return json(healthView(record, analytics, now))
  },
)

function healthView({ project, current, vault }: ProjectRecord, analytics: Analytics, now: number) {
  const manifest = manifestOf(current)
  const { size, min_size: minSize } = manifest.consensus.work.committee
  const { runway_epochs: runway } = economicsView(project, manifest, vault, now).vault
  const { listingStatus } = project
  const { eligible, days, last } = analytics
  const fallback = sumOf(days, 'fallback')
  const contested = sumOf(days, 'contested')
  const failed = sumOf(days, 'rounds') - sumOf(days, 'finalized')
  const rounds = (count: number) => `${count} ${count === 1 ? 'round' : 'rounds'} of the last 24 hours`
  const problems: [(typeof states)[number], boolean, string][] = [
    [
      'paused',
      listingStatus !== 'listed' && listingStatus !== 'underfunded',
      `The project is ${listingStatus}, so it gets no tasks and no committees.`,
    ],
    ['underfunded', listingStatus === 'underfunded', 'The vault could not pay an epoch: fund it.'],
    ['underfunded', runway === 0, 'The vault cannot pay another epoch at its cap: fund it.'],
    [
      'fallback',
      eligible < minSize,
      `${eligible} devices are eligible and a committee needs ${minSize}: validators run the tasks.`,
    ],
    ['degraded', fallback > 0, `${rounds(fallback)} had no committee.`],
    ['degraded', contested > 0, `${rounds(contested)} had votes for different results: see its proofs.`],
    ['degraded', failed > 0, `${rounds(failed)} failed.`],
  ]
  const found = problems.filter(([, applies]) => applies)
  return {
    status: found[0]?.[0] ?? 'healthy',
    eligible_miners: eligible,
    committee_size: size,
    fallback_rounds_24h: fallback,
    contested_rounds_24h: contested,
    ...(typeof last?.medianFinalityMs === 'number' && { median_finality_ms: last.medianFinalityMs }),
    runway_epochs: runway,
    issues: found.map(([, , issue]) => issue),
  }
}
