import type { Task } from '../../protocol/consensus/index.ts'

/** What a node is offered. */
export interface LinkOffer {
  offer_id: string
  lease_id: string
  task: Task
  position: number
  role: 'primary' | 'backup'
  input_b64: string | null
  input_url: string | null
  /** Network time. */
  accept_by: number
  vote_by: number
}

/** What rounds ask of the connection of a node. */
export interface NodeLinkCalls {
  /** Sends an offer, once to each connection. */
  offer(offer: LinkOffer): Promise<'offered' | 'offline' | 'full'>
  /** Nothing is awaited of the node for this offer any more. */
  cancel(offerId: string, reason: string): Promise<void>
  /** The node sent a vote that is none. */
  invalidVote(): Promise<void>
}

/** The connections of nodes, by key. */
export interface NodeLinks {
  getByName(nodeKey: string): NodeLinkCalls
}
