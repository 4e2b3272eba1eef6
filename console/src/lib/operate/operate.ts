/** Everything that the screen of operators asks of the hub, with the session of the operator. */
import type { Answer, Hub, Schemas } from '../../../../sdk/index.ts'
import type { Descriptor } from '../hub.ts'
import { session } from '../wallet/session.svelte.ts'

export type Project = Schemas['ProjectSummary']
export type OneNode = Answer<'GET /admin/v1/nodes'>['items'][number]
export type Slash = Schemas['Slash']
export type DeadLetter = Answer<'GET /admin/v1/dead-letters'>['items'][number]
export type Collection = Answer<'GET /v1/collections'>['items'][number]
export type ReviewAction = 'approve' | 'reject' | 'pause' | 'resume' | 'delist'

const rows = 20
const page = (cursor?: string) => ({ limit: rows, ...(cursor !== undefined && { cursor }) })
/** The session may change while the screen is open. */
const call: Hub['call'] = (operation, ...given) => session.hub.call(operation, ...given)
/** Filters that are set. */
const only = <T extends object>(filters: T): Partial<T> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '')) as Partial<T>

export const operate = {
  reviewQueue: (cursor?: string) => call('GET /admin/v1/review-queue', { query: page(cursor) }),
  /** By id or slug, also one that is not public. */
  project: async (name: string) => {
    const project_id = name.startsWith('0x')
      ? name
      : (await call('GET /v1/projects/{project_id}/manifest', { path: { project_id: name } })).project_id
    return call('GET /v1/projects/{project_id}', { path: { project_id } })
  },
  versions: (project_id: string) =>
    call('GET /v1/projects/{project_id}/versions', { path: { project_id }, query: { limit: 10 } }),
  version: (project_id: string, version: number) =>
    call('GET /v1/projects/{project_id}/versions/{version}', { path: { project_id, version } }),
  /** Further versions that took effect, the newest first. */
  newVersions: async () => {
    const { items } = await call('GET /v1/events', {
      query: { type: 'project.version_activated', limit: rows },
    })
    return items.flatMap(({ id, created_at, project_id, data }) => {
      const { version } = (data ?? {}) as { version?: unknown }
      return project_id !== undefined && typeof version === 'number'
        ? [{ id, created_at, project_id, version }]
        : []
    })
  },
  /** Null if the wallet never applied. */
  developer: (address: string) => session.hub.find('GET /v1/developers/{address}', { path: { address } }),
  review: (project_id: string, action: ReviewAction, reason: string | null, conditions: string[] = []) =>
    call('POST /admin/v1/projects/{project_id}/review', {
      path: { project_id },
      body: { action, reason, conditions },
    }),

  nodes: (filters: { role: string; status: string }, cursor?: string) =>
    call('GET /admin/v1/nodes', { query: { ...page(cursor), ...only(filters) } as never }),
  pendingGeneration: () => call('GET /admin/v1/validators/pending'),
  /** The newest that a quorum signed, in force or soon; null before the first one. */
  latestGeneration: async () =>
    (await call('GET /v1/validators/generations', { query: { limit: 1 } })).items[0] ?? null,
  approveNode: (node_id: string, reason: string | null) =>
    call('POST /admin/v1/nodes/{node_id}/approve', { path: { node_id }, body: { reason } }),
  revokeNode: (node_id: string, reason: string | null, at_once: boolean) =>
    call('POST /admin/v1/nodes/{node_id}/revoke', { path: { node_id }, body: { reason, at_once } }),

  reports: (cursor?: string) => call('GET /admin/v1/reports', { query: page(cursor) }),

  device: (node_id: string) => call('GET /v1/devices/{node_id}', { path: { node_id } }),
  ban: (node_id: string, banned: boolean, reason: string | null) =>
    call('POST /admin/v1/devices/{node_id}/ban', { path: { node_id }, body: { banned, reason } }),
  enrollment: (address: string, status: 'active' | 'rejected', notes: string | null) =>
    call('POST /admin/v1/developers/{address}/enrollment', { path: { address }, body: { status, notes } }),
  verification: (address: string, status: 'verified' | 'rejected', notes: string | null) =>
    call('POST /admin/v1/developers/{address}/verification', { path: { address }, body: { status, notes } }),

  slashes: (status: string, cursor?: string) =>
    call('GET /v1/explorer/slashes', { query: { ...page(cursor), ...only({ status }) } as never }),
  resolve: (evidence_hash: string, decision: 'cancel' | 'uphold', notes: string | null) =>
    call('POST /admin/v1/slashes/{evidence_hash}/resolve', {
      path: { evidence_hash },
      body: { decision, notes },
    }),
  epochs: (status: 'settled' | 'vetoed', cursor?: string) =>
    call('GET /v1/explorer/epochs', { query: { ...page(cursor), status } }),
  veto: (project_id: string, epoch: number, reason: string | null) =>
    call('POST /admin/v1/epochs/{project_id}/{epoch}/veto', {
      path: { project_id, epoch },
      body: { reason },
    }),
  reopen: (project_id: string, epoch: number, reason: string | null) =>
    call('POST /admin/v1/epochs/{project_id}/{epoch}/reopen', {
      path: { project_id, epoch },
      body: { reason },
    }),
  /** The last decision of operators about the posting of all vaults; null before the first one. */
  lastSettlement: async ({ chain }: Descriptor) => {
    const { vault_factory: subject } = chain.contracts
    if (!subject) return null
    const { items } = await call('GET /admin/v1/audit-log', { query: { subject, limit: 1 } })
    return items[0] ?? null
  },
  pauseSettlement: (reason: string | null) => call('POST /admin/v1/settlement/pause', { body: { reason } }),
  unpauseSettlement: (reason: string | null) =>
    call('POST /admin/v1/settlement/unpause', { body: { reason } }),

  status: () => call('GET /v1/status'),
  relayer: () => call('GET /admin/v1/relayer'),
  deadLetters: (cursor?: string) => call('GET /admin/v1/dead-letters', { query: page(cursor) }),
  resend: (message_id: string, reason: string | null) =>
    call('POST /admin/v1/dead-letters/{message_id}/resend', { path: { message_id }, body: { reason } }),
  closeLetter: (message_id: string, reason: string | null) =>
    call('POST /admin/v1/dead-letters/{message_id}/close', { path: { message_id }, body: { reason } }),
  reindex: (reason: string | null) => call('POST /admin/v1/reindex', { body: { reason } }),

  collections: () => call('GET /v1/collections'),
  putCollection: ({ id, kind, title, description, project_ids }: Omit<Collection, 'updated_at'>) =>
    call('PUT /admin/v1/collections/{collection_id}', {
      path: { collection_id: id },
      body: { kind, title, description, project_ids },
    }),
  deleteCollection: (collection_id: string) =>
    call('DELETE /admin/v1/collections/{collection_id}', { path: { collection_id } }),

  auditLog: (subject: string, cursor?: string) =>
    call('GET /admin/v1/audit-log', { query: { ...page(cursor), ...only({ subject }) } as never }),

  faucet: () => call('GET /v1/faucet'),
  setFaucet: (body: Parameters<typeof putFaucet>[0]) => putFaucet(body),
}

const putFaucet = (body: {
  enabled: boolean
  amount: string
  eth_amount: string
  cooldown_secs: number
  reason: string | null
}) => call('PUT /admin/v1/faucet', { body })
