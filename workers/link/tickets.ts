import type { CursorCodec } from '../http/cursor.ts'

/** Another one than lists and addresses have: what is made for one purpose is nothing for another. */
const purpose = 'link ticket'

export interface Ticket {
  /** Of the link's tickets, as its object counts them. */
  readonly generation: number
  /** Whether something vouched for the key when the ticket was made. */
  readonly isVouched: boolean
}

/** What a node shows when it comes back, so that the hub need not look it up again. */
export const makeTicket = (
  codec: CursorCodec,
  publicKey: string,
  { generation, isVouched }: Ticket,
): string => codec.encode(purpose, [publicKey, generation, Number(isVouched)])

/** Null for what this hub did not make for this key. Whether the ticket still counts is for the link's object to say. */
export function readTicket(codec: CursorCodec, publicKey: string, ticket: string): Ticket | null {
  try {
    const [key, generation, isVouched] = codec.decode(purpose, ticket)
    return key === publicKey ? { generation: Number(generation), isVouched: isVouched === 1 } : null
  } catch {
    return null
  }
}
