import { upgradeRefusals, upgradeUrl } from '../../durable-objects/link/upgrade.ts'
import type { FrameVersion } from '../../protocol/link/index.ts'
import type { Platform } from './platform/platform.ts'
import type { ClientSocket, SocketClient } from './platform/sockets.ts'

/** How long the hub asks its records whether a node may have a socket. */
export const recordsMs = 40

/** The ticket of a generation, as simulated hubs write it. */
export const ticketOf = (generation: number): string => `generation-${generation}`
const generationOf = (ticket: string): number => Number(ticket.split('-')[1])

export interface LinkUpgrade {
  readonly publicKey: string
  readonly frames: FrameVersion
  /** Whether the records say that it is a validator. */
  readonly isValidator?: boolean
  readonly ticket: string | null
  /** Another one for each upgrade. */
  readonly nonce: string
  /** Unix seconds. */
  readonly timestamp: number
  /** The trips to the database that say whether a node without a ticket may have a socket. */
  readonly readRecords: () => Promise<void>
}

/** Opens the link of a node as the hub's Worker does: by its ticket, and by the records where that does not count. */
export async function openLink(
  platform: Platform,
  { publicKey, frames, isValidator = false, ticket, nonce, timestamp, readRecords }: LinkUpgrade,
  client: SocketClient,
): Promise<ClientSocket | null> {
  const spoken = Math.min(frames, platform.frames) as FrameVersion
  const connect = (generation: number | null) =>
    platform.connect('NodeLink', publicKey, client, (name) =>
      upgradeUrl(name, {
        ...{ frames: spoken, signature: { nonce, timestamp }, isVouched: true, generation },
        isValidator: generation === null && isValidator,
      }),
    )
  // A hub of the first version knows no tickets.
  if (ticket !== null && platform.frames > 1) {
    const opened = await connect(generationOf(ticket))
    if (typeof opened !== 'number') return opened
    if (opened !== upgradeRefusals.staleTicket) return null
  }
  await readRecords()
  const opened = await connect(null)
  return typeof opened === 'number' ? null : opened
}
