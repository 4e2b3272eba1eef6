/** Everything that screens ask of the hub for the wallet that is signed in. */
import type { Schemas } from '../../../../sdk/index.ts'
import { session } from '../wallet/session.svelte.ts'
import { pagesWith } from './rows.ts'

export type Subscription = Schemas['Subscription']
export type Device = Schemas['Device']
export type Slash = Schemas['Slash']
export type Cause = Schemas['Cause']
export type Period = '24h' | '7d' | '30d' | 'all'
export type Grouping = 'day' | 'project' | 'device'

const isOpen = ({ status }: Subscription) => status !== 'closed'

/** The sum of collateral comes with so many subscriptions at most, the newest. */
export const collateralRowsMax = 200
const rows = 20
const page = (cursor?: string) => ({ limit: rows, ...(cursor !== undefined && { cursor }) })

export const mine = {
  alerts: () => session.hub.call('GET /v1/me/alerts'),
  devices: (cursor?: string) => session.hub.call('GET /v1/me/devices', { query: page(cursor) }),
  /** Without closed ones. */
  subscriptionsOf: (node_id: string) =>
    pagesWith(
      (cursor?: string) =>
        session.hub.call('GET /v1/me/subscriptions', { query: { ...page(cursor), node_id } }),
      isOpen,
    ),
  /** Those that `collateral` does not show. */
  olderSubscriptions: (shown: readonly Subscription[]) => {
    const ids = new Set(shown.map(({ subscription_id }) => subscription_id))
    return pagesWith(
      (cursor?: string) =>
        session.hub.call('GET /v1/me/subscriptions', {
          query: { ...page(cursor), limit: collateralRowsMax },
        }),
      (one) => isOpen(one) && !ids.has(one.subscription_id),
    )
  },
  subscriptionsTo: (project_id: string) =>
    session.hub.call('GET /v1/me/subscriptions', { query: { project_id, limit: 100 } }),
  review: (project_id: string, body: Schemas['ReviewInput']) =>
    session.hub.call('PUT /v1/projects/{project_id}/reviews', { path: { project_id }, body }),
  report: (project_id: string, body: Schemas['ReportInput']) =>
    session.hub.call('POST /v1/projects/{project_id}/reports', { path: { project_id }, body }),
  diagnosis: (subscription_id: string) =>
    session.hub.call('GET /v1/subscriptions/{subscription_id}/diagnosis', { path: { subscription_id } }),
  /** With the start of its work. */
  work: (node_id: string) => session.hub.call('GET /v1/devices/{node_id}/work', { path: { node_id } }),
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

  earnings: (period: Period, group_by: Grouping) =>
    session.hub.call('GET /v1/me/earnings', { query: { period, group_by } }),
  claims: () => session.hub.call('GET /v1/me/claims'),
  claim: () => session.hub.call('POST /v1/me/withdrawals/claims', { body: {} }),
  /** More than one click asks for. */
  newestWithdrawals: () => session.hub.call('GET /v1/me/withdrawals', { query: { limit: 100 } }),
  withdrawals: (cursor?: string) => session.hub.call('GET /v1/me/withdrawals', { query: page(cursor) }),
  epochs: (cursor?: string) => session.hub.call('GET /v1/me/earnings/epochs', { query: page(cursor) }),

  slashes: (cursor?: string) => session.hub.call('GET /v1/me/slashes', { query: page(cursor) }),
  dispute: (evidence_hash: string, body: Schemas['DisputeInput']) =>
    session.hub.call('POST /v1/slashes/{evidence_hash}/disputes', { path: { evidence_hash }, body }),

  notifications: (cursor?: string) => session.hub.call('GET /v1/me/notifications', { query: page(cursor) }),
  markRead: () => session.hub.call('POST /v1/me/notifications/read', { body: { all: true } }),
  /** With the time of the next request that it takes from this wallet. */
  faucet: () => session.hub.call('GET /v1/faucet'),
  drip: () => session.hub.call('POST /v1/faucet/drip'),
}
