/** Incidents of the network: what its events say that went another way than usual. */
export interface IncidentEvent {
  readonly id: string
  readonly type: string
  readonly created_at: number
  readonly round_id?: string | undefined
  readonly project_id?: string | undefined
  readonly data?: unknown
}

export interface Incident {
  readonly id: string
  readonly type: string
  readonly at: number
  /** The record that the newest of them names. */
  readonly about: string
  readonly href: string | null
  /** Equal ones of one hour are one. */
  readonly count: number
}

const shownMax = 20

/** The newest first. */
export function incidentsOf(events: readonly IncidentEvent[]): Incident[] {
  const newest = events.filter((event) => !isRoutine(event)).sort((a, b) => b.created_at - a.created_at)
  const groups = Map.groupBy(newest, ({ type, created_at, id }) =>
    type === 'round.escalated' ? `${type} ${Math.floor(created_at / 3_600)}` : id,
  )
  return [...groups.values()].slice(0, shownMax).map((own) => {
    const { id, type, created_at: at } = own[0]!
    return { ...{ id, type, at, count: own.length }, ...recordOf(own[0]!) }
  })
}

/** A round that only an audit drew went as it should. Events of earlier hubs do not say so. */
const isRoutine = ({ type, data }: IncidentEvent): boolean =>
  type === 'round.escalated' && (data as { reason?: unknown } | undefined)?.reason !== 'contested'

function recordOf({ type, round_id, project_id, data, id }: IncidentEvent): {
  about: string
  href: string | null
} {
  const evidence = (data as { evidence_hash?: unknown } | undefined)?.evidence_hash
  if (type === 'slash.executed' && typeof evidence === 'string')
    return { about: evidence, href: `/slashes/${encodeURIComponent(evidence)}` }
  if (round_id !== undefined) return { about: round_id, href: `/rounds/${encodeURIComponent(round_id)}` }
  if (project_id !== undefined) return { about: project_id, href: `/projects/${project_id}` }
  return { about: id, href: null }
}
