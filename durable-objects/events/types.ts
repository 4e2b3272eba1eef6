/** Types of events that everybody may follow. */
export const networkTypes = [
  'module.event',
  'round.finalized',
  'round.escalated',
  'epoch.settled',
  'project.listed',
  'project.paused',
  'project.delisted',
  'project.version_activated',
  'slash.executed',
] as const

/** Types of events that only the wallet concerned may follow. */
export const accountTypes = [
  'device.bound',
  'device.unbound',
  'device.online',
  'device.offline',
  'subscription.created',
  'subscription.active',
  'subscription.paused',
  'subscription.resumed',
  'subscription.jailed',
  'subscription.unbonding',
  'lease.offered',
  'lease.missed',
  'proof.verified',
  'proof.rejected',
  'slash.proposed',
  'slash.disputed',
  'slash.cancelled',
  'payout.claimable',
  'withdrawal.completed',
  'developer.enrollment_approved',
  'developer.enrollment_rejected',
  'developer.verified',
  'listing.approved',
  'listing.rejected',
  'faucet.dripped',
  'webhook.disabled',
  'hub.alarm',
  'hub.alarm_over',
] as const

export type EventType = (typeof networkTypes)[number] | (typeof accountTypes)[number]

export interface LoggedEvent {
  type: EventType
  /** Unix seconds. */
  created_at: number
  /** The wallet that it concerns. */
  address?: string
  project_id?: string
  module?: string
  node_id?: string
  subscription_id?: string
  round_id?: string
  tx_hash?: string
  data?: unknown
}

/** The position from which a follower continues: it has the first `offset` events of a row, and all rows before. */
export interface Position {
  row: number
  offset: number
}

/** Which events a feed has. Without a wallet it is the feed of the network. */
export interface Filter {
  address?: string | undefined
  project_id?: string | undefined
  module?: string | undefined
  type?: string | undefined
}

const ofNetwork: ReadonlySet<string> = new Set(networkTypes)

/** Whether everybody may follow it. */
export const isPublic = ({ type }: Pick<LoggedEvent, 'type'>): boolean => ofNetwork.has(type)

/** A wallet has what is about it, and everybody what is of the network. */
export const isIn = (filter: Filter, event: LoggedEvent): boolean =>
  (filter.address === undefined ? isPublic(event) : event.address === filter.address) &&
  (filter.project_id === undefined || event.project_id === filter.project_id) &&
  (filter.module === undefined || event.module === filter.module) &&
  (filter.type === undefined || event.type === filter.type)

const keyOf = (id: string): string => ` ${id.slice(-5)} `

const networkWords = networkTypes.map((type) => ` ${type} `)

/** The words of which a row has one of each list, if it has an event of the feed; that of the wallet comes first. */
export function wordsOf({ address, project_id, module, type }: Filter): string[][] {
  const ids = [address, project_id, module].flatMap((id) => (id === undefined ? [] : [[keyOf(id)]]))
  if (type !== undefined) return [...ids, [` ${type} `]]
  return address === undefined ? [...ids, networkWords] : ids
}

/** The words of a row with these events. */
export function keysOf(events: readonly LoggedEvent[]): string {
  const words = new Set<string>()
  for (const { type, address, project_id, module } of events) {
    words.add(type)
    for (const id of [address, project_id, module]) if (id !== undefined) words.add(id.slice(-5))
  }
  return ` ${[...words].join(' ')} `
}
