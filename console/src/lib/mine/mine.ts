/** Everything that screens ask of the hub for the wallet that is signed in. */
import type { Schemas } from '../../../../sdk/index.ts'
import type { Descriptor, Token } from '../hub.ts'
import { session } from '../wallet/session.svelte.ts'

export type Subscription = Schemas['Subscription']
export type Device = Schemas['Device']
export type Slash = Schemas['Slash']
export type Cause = Schemas['Cause']
export type Period = '24h' | '7d' | '30d' | 'all'
export type Grouping = 'day' | 'project' | 'device'

/** What is read for one wallet is not shown to another, and is read again when one of its actions is over. */
export const mineKey = (...parts: readonly unknown[]) => ['mine', session.current?.address, ...parts]

const rows = 20
const page = (cursor?: string) => ({ limit: rows, ...(cursor !== undefined && { cursor }) })

export const mine = {
  alerts: () => session.hub.call('GET /v1/me/alerts'),
  devices: (cursor?: string) => session.hub.call('GET /v1/me/devices', { query: page(cursor) }),
  subscriptionsOf: (node_id: string) =>
    session.hub.call('GET /v1/me/subscriptions', { query: { node_id, limit: rows } }),
  diagnosis: (subscription_id: string) =>
    session.hub.call('GET /v1/subscriptions/{subscription_id}/diagnosis', { path: { subscription_id } }),
  collateral: () => session.hub.call('GET /v1/me/collateral'),
  balances: (address: string) =>
    session.hub.call('GET /v1/accounts/{address}/balances', { path: { address } }),
  compatibility: (project_id: string, node_id: string) =>
    session.hub.call('POST /v1/projects/{project_id}/compatibility', {
      path: { project_id },
      body: { node_id },
    }),
  pause: (subscription_id: string) =>
    session.hub.call('POST /v1/subscriptions/{subscription_id}/pause', { path: { subscription_id } }),
  resume: (subscription_id: string) =>
    session.hub.call('POST /v1/subscriptions/{subscription_id}/resume', { path: { subscription_id } }),
  label: (node_id: string, label: string | null) =>
    session.hub.call('PATCH /v1/devices/{node_id}', { path: { node_id }, body: { label } }),

  earnings: (period: Period, group_by: Grouping) =>
    session.hub.call('GET /v1/me/earnings', { query: { period, group_by } }),
  claims: () => session.hub.call('GET /v1/me/claims'),
  claim: () => session.hub.call('POST /v1/me/withdrawals/claims', { body: {} }),
  withdrawals: (cursor?: string) => session.hub.call('GET /v1/me/withdrawals', { query: page(cursor) }),
  epochs: (cursor?: string) => session.hub.call('GET /v1/me/earnings/epochs', { query: page(cursor) }),

  slashes: (cursor?: string) => session.hub.call('GET /v1/me/slashes', { query: page(cursor) }),
  dispute: (evidence_hash: string, body: Schemas['DisputeInput']) =>
    session.hub.call('POST /v1/slashes/{evidence_hash}/disputes', { path: { evidence_hash }, body }),

  notifications: (cursor?: string) => session.hub.call('GET /v1/me/notifications', { query: page(cursor) }),
  markRead: () => session.hub.call('POST /v1/me/notifications/read', { body: { all: true } }),
  drip: () => session.hub.call('POST /v1/faucet/drip'),
}

/** The token of collateral, which every network has with 18 decimals. */
export const networkToken = ({ chain, profile }: Descriptor): Token => ({
  address: chain.token ?? '',
  symbol: profile.token_symbol,
  name: profile.token_name,
  decimals: 18,
})

/** Whole tokens as a person types them, in base units; null where they are none. */
export function baseUnits(text: string, decimals: number): string | null {
  const [, whole = '', part = ''] = /^(\d{1,30})(?:\.(\d*))?$/.exec(text.trim()) ?? []
  if (whole === '' || part.length > decimals) return null
  const amount = BigInt(whole + part.padEnd(decimals, '0'))
  return amount > 0n ? String(amount) : null
}

/** Base units as a person types them. */
export function typed(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}
