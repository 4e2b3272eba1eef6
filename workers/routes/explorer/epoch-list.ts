import type * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { pageOf, paginate } from '../../http/pagination.ts'
import type { EpochRow, EpochState, ListedEpoch } from '../../stores/epochs.ts'
import { KnownEpochStore, type KnownEpochs } from '../../stores/known-epochs.ts'
import type { ProjectRecord } from '../../stores/projects.ts'
import { EpochSummary, epochExample } from './schema.ts'
import { epochView, unattestedView } from './view.ts'

export const EpochPage = pageOf(EpochSummary).meta({ id: 'EpochPage' })
export const epochPageExample: z.output<typeof EpochPage> = { items: [epochExample], next_cursor: null }

interface Unattested extends Pick<EpochRow, 'projectId' | 'epoch' | 'epochSecs' | 'startsAt'> {
  view: ReturnType<typeof unattestedView>
}

interface EpochQuery {
  limit?: number | undefined
  cursor?: string | undefined
  status?: EpochState | undefined
}

/**
 * One page of epochs, newest first: those with a receipt and, of one project, the running epoch and the one before it, which may still wait for its
 * receipt. @param project - The requested project, read in parallel with the page; null if the caller may not see it or it does not exist.
 */
export async function listEpochs(
  c: HubContext,
  query: EpochQuery,
  project?: { id: string; record: Promise<ProjectRecord | null> },
) {
  const now = await c.var.services.clock.now()
  const { status } = query
  const { rows, next_cursor } = await paginate(c, {
    list: `epochs project=${project?.id ?? ''} status=${status ?? ''}`,
    query,
    position: ({ startsAt, projectId, epoch }: ListedEpoch | Unattested): [number, string, number] => [
      startsAt,
      projectId,
      epoch,
    ],
    fetch: async (after, limit) => {
      const position = after && { startsAt: after[0], projectId: after[1], epoch: after[2] }
      const { epochs, store } = c.var.services
      const [record, known, attested] = await Promise.all([
        project?.record ?? null,
        project === undefined ? null : store(KnownEpochStore).read(project.id),
        epochs.list({ projectId: project?.id, status }, position, limit, now),
      ])
      if (project !== undefined && record === null) return []
      const newest = unattestedEpochs(record, known, now).filter(
        ({ view, startsAt }) =>
          (status === undefined || view.status === status) &&
          (position === undefined || startsAt < position.startsAt) &&
          !attested.some((row) => row.startsAt === startsAt),
      )
      return [...newest, ...attested].slice(0, limit)
    },
  })
  return {
    items: rows.map((row) => ('view' in row ? row.view : epochView(row, now))),
    next_cursor,
  }
}

/** The running epoch of a project and the one before it, as long as nobody attested them. */
function unattestedEpochs(
  record: ProjectRecord | null,
  known: KnownEpochs | null,
  now: number,
): Unattested[] {
  const running = known?.lengths.at(now)
  if (record === null || known === null || !running) return []
  const { project } = record
  const { totals, lengths } = known
  return [running, lengths.before(running)].flatMap((timed) => {
    if (timed === null) return []
    const { epoch, epochSecs } = timed
    const startsAt = epoch * epochSecs
    if (startsAt + epochSecs <= project.createdAt) return []
    return [
      { projectId: project.projectId, ...timed, startsAt, view: unattestedView(project, timed, totals, now) },
    ]
  })
}
