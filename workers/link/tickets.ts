import type { CursorCodec } from '../http/cursor.ts'

/** Differs from the purposes of lists and addresses: a text that is made for one purpose is not valid for another. */
const purpose = 'link ticket'

export interface Ticket {
  /** The generation of the link's tickets, as its object counts them. */
  readonly generation: number
  /** Whether something vouched for the key when the ticket was made. */
  readonly isVouched: boolean
}

/** The ticket that a node shows when it reconnects, so that the hub need not look the node up again. */
export const makeTicket = (
  codec: CursorCodec,
  publicKey: string,
  { generation, isVouched }: Ticket,
): string => codec.encode(purpose, [publicKey, generation, Number(isVouched)])

/** Null if this hub did not make the ticket for this key. The link's object decides whether the ticket still counts. */
export function readTicket(codec: CursorCodec, publicKey: string, ticket: string): Ticket | null {
  try {
    const [key, generation, isVouched] = codec.decode(purpose, ticket)
    return key === publicKey ? { generation: Number(generation), isVouched: isVouched === 1 } : null
  } catch {
    return null
  }
}
