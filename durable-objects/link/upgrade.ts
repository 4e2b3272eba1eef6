import type { FrameVersion } from '../../protocol/link/index.ts'

/** An upgrade request, as the Worker describes it after its checks. */
export interface Upgrade {
  readonly frames: FrameVersion
  /** Nonce and time of the signature, which opens one socket; null from an older Worker, which ensures that itself. */
  readonly signature: { readonly nonce: string; readonly timestamp: number } | null
  /** Whether something vouches for the key. */
  readonly isVouched: boolean
  /** Whether the hub's records, where they were asked, say that operators approved it as a validator. */
  readonly isValidator: boolean
  /** Generation of the ticket that the node came back with; null if the hub's records were asked. */
  readonly generation: number | null
}

const fromOlderHub = { frames: 1, signature: null, isVouched: false, generation: null } as const

export const upgradeUrl = (nodeKey: string, upgrade: Upgrade): string =>
  `https://link/${nodeKey}?upgrade=${encodeURIComponent(JSON.stringify(upgrade))}`

export function readUpgrade(url: string): Upgrade & { readonly nodeKey: string } {
  const { pathname, searchParams } = new URL(url)
  const nodeKey = pathname.slice(1)
  const upgrade = searchParams.get('upgrade')
  if (upgrade !== null) return { nodeKey, ...JSON.parse(upgrade) }
  return { nodeKey, ...fromOlderHub, isValidator: searchParams.has('validator') }
}

/** Why an upgrade gets no socket, as the status of the answer. */
export const upgradeRefusals = { used: 401, staleTicket: 409, tooMany: 429 } as const
