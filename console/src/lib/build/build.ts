/** Everything that the screens of developers ask of the hub. */
import { AlreadyExists } from '../../../../sdk/errors.ts'
import type { Schemas } from '../../../../sdk/index.ts'
import { listener } from '../hub.ts'
import { mineKey } from '../mine/key.ts'
import { session } from '../wallet/session.svelte.ts'

export type Developer = Schemas['OwnDeveloper']
export type Draft = Schemas['Draft']
export type Webhook = Schemas['Webhook']
export type Scope = Schemas['ApiKeyInput']['scopes'][number]
export type EventType = Schemas['WebhookInput']['types'][number]
export type Period = '24h' | '7d' | '30d' | 'all'

export const scopes: readonly Scope[] = [
  'tasks:submit',
  'projects:read',
  'projects:write',
  'modules:write',
  'analytics:read',
]

/** Of projects, which is what a developer waits for; programs can name the others. */
export const eventTypes: readonly EventType[] = [
  'module.event',
  'round.finalized',
  'round.escalated',
  'epoch.settled',
  'project.listed',
  'project.paused',
  'project.delisted',
  'project.version_activated',
  'listing.approved',
  'listing.rejected',
  'slash.executed',
  'webhook.disabled',
]

/** Read again when an action of the wallet is over, as all that is its own. */
export const buildKey = (...parts: readonly unknown[]) => mineKey('build', ...parts)

const page = (cursor?: string) => ({ limit: 20, ...(cursor !== undefined && { cursor }) })

/** A draft, and the revision that the next change of it names. */
export interface Kept {
  readonly draft: Draft
  readonly revision: string
}
/** By id: the answer says it in a header alone, which a proxy that compresses marks as weak. */
const revisions = new Map<string, string>()
listener.hear = ({ url, headers }) => {
  const id = /\/drafts\/([^/?]+)$/.exec(url)?.[1]
  const revision = /"\d+"/.exec(headers.get('ETag') ?? '')
  if (id && revision) revisions.set(id, revision[0])
}
const kept = async (answer: Promise<Draft>): Promise<Kept> => {
  const draft = await answer
  return { draft, revision: revisions.get(draft.draft_id) ?? '*' }
}

export const build = {
  /** Null before an enrollment. */
  developer: () => session.hub.find('GET /v1/developers/me'),
  enroll: (body: Schemas['EnrollmentRequest']) =>
    session.hub.call('POST /v1/developers/me/enrollment', { body }),
  verify: () => session.hub.call('POST /v1/developers/me/verification', { body: {} }),

  projects: (cursor?: string) => session.hub.call('GET /v1/developers/me/projects', { query: page(cursor) }),
  /** Also one that is not public yet. */
  project: (project_id: string) =>
    session.hub.call('GET /v1/projects/{project_id}', { path: { project_id } }),
  versions: (project_id: string) =>
    session.hub.call('GET /v1/projects/{project_id}/versions', { path: { project_id } }),
  version: (project_id: string, version: number) =>
    session.hub.call('GET /v1/projects/{project_id}/versions/{version}', { path: { project_id, version } }),
  health: (project_id: string) =>
    session.hub.call('GET /v1/developers/projects/{project_id}/health', { path: { project_id } }),
  analytics: (project_id: string, period: Period) =>
    session.hub.call('GET /v1/developers/projects/{project_id}/analytics', {
      path: { project_id },
      query: { period },
    }),
  revenue: (project_id: string, period: Period) =>
    session.hub.call('GET /v1/developers/projects/{project_id}/revenue', {
      path: { project_id },
      query: { period },
    }),
  announcements: (project_id: string, cursor?: string) =>
    session.hub.call('GET /v1/projects/{project_id}/announcements', {
      path: { project_id },
      query: page(cursor),
    }),
  announce: (project_id: string, body: Schemas['AnnouncementInput']) =>
    session.hub.call('POST /v1/developers/projects/{project_id}/announcements', {
      path: { project_id },
      body,
    }),
  unannounce: (project_id: string, announcement_id: string) =>
    session.hub.call('DELETE /v1/developers/projects/{project_id}/announcements/{announcement_id}', {
      path: { project_id, announcement_id },
    }),

  keys: (cursor?: string) => session.hub.call('GET /v1/developers/api-keys', { query: page(cursor) }),
  createKey: (body: Schemas['ApiKeyInput']) => session.hub.call('POST /v1/developers/api-keys', { body }),
  revokeKey: (key_id: string) =>
    session.hub.call('DELETE /v1/developers/api-keys/{key_id}', { path: { key_id } }),

  /** Null if it does not exist, or is somebody else's and not public. */
  findProject: (project_id: string) =>
    session.hub.find('GET /v1/projects/{project_id}', { path: { project_id } }),

  drafts: (cursor?: string) => session.hub.call('GET /v1/developers/me/drafts', { query: page(cursor) }),
  draft: (draft_id: string) =>
    kept(session.hub.call('GET /v1/developers/me/drafts/{draft_id}', { path: { draft_id } })),
  createDraft: (data: Draft['data']) => session.hub.call('POST /v1/developers/me/drafts', { body: { data } }),
  /** 409 where the stored draft has another revision. */
  saveDraft: (
    { draft_id, current_step }: Draft,
    { data, project_id }: Pick<Draft, 'data' | 'project_id'>,
    revision: string,
  ) =>
    kept(
      session.hub.call('PUT /v1/developers/me/drafts/{draft_id}', {
        path: { draft_id },
        body: { current_step, project_id, data },
        headers: { 'If-Match': revision },
      }),
    ),
  deleteDraft: (draft_id: string) =>
    session.hub.call('DELETE /v1/developers/me/drafts/{draft_id}', { path: { draft_id } }),

  /** @returns The record of the module, also where the hub has it already. */
  upload: async (hbc_b64: string) => {
    try {
      return { module: await session.hub.call('POST /v1/modules', { body: { hbc_b64 } }), isNew: true }
    } catch (error) {
      const known = error instanceof AlreadyExists ? error.details.manifest_address : undefined
      if (typeof known !== 'string') throw error
      const path = { address: known }
      return { module: await session.hub.call('GET /v1/modules/{address}', { path }), isNew: false }
    }
  },
  uploadPicture: (content_type: Schemas['AssetInput']['content_type'], data_b64: string) =>
    session.hub.call('POST /v1/developers/assets', { body: { content_type, data_b64 } }),
  simulate: (project_id: string, body: Schemas['SimulationInput']) =>
    session.hub.call('POST /v1/developers/projects/{project_id}/simulations', { path: { project_id }, body }),
  simulation: (project_id: string, simulation_id: string) =>
    session.hub.call('GET /v1/developers/projects/{project_id}/simulations/{simulation_id}', {
      path: { project_id, simulation_id },
    }),
  prepare: (manifest: unknown) =>
    session.hub.call('POST /v1/developers/projects/prepare', { body: { manifest }, repeatable: true }),
  submitVersion: (project_id: string, body: Schemas['SignedManifestInput']) =>
    session.hub.call('POST /v1/developers/projects/{project_id}/versions', { path: { project_id }, body }),

  webhooks: () => session.hub.call('GET /v1/me/webhooks'),
  createWebhook: (body: Schemas['WebhookInput']) => session.hub.call('POST /v1/me/webhooks', { body }),
  changeWebhook: (webhook_id: string, body: Schemas['WebhookPatch']) =>
    session.hub.call('PATCH /v1/me/webhooks/{webhook_id}', { path: { webhook_id }, body }),
  deleteWebhook: (webhook_id: string) =>
    session.hub.call('DELETE /v1/me/webhooks/{webhook_id}', { path: { webhook_id } }),
  testWebhook: (webhook_id: string) =>
    session.hub.call('POST /v1/me/webhooks/{webhook_id}/test', { path: { webhook_id } }),
  rotateSecret: (webhook_id: string) =>
    session.hub.call('POST /v1/me/webhooks/{webhook_id}/secrets', { path: { webhook_id }, body: {} }),
  deliveries: (webhook_id: string, cursor?: string) =>
    session.hub.call('GET /v1/me/webhooks/{webhook_id}/deliveries', {
      path: { webhook_id },
      query: page(cursor),
    }),
  redeliver: (webhook_id: string, delivery_id: string) =>
    session.hub.call('POST /v1/me/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
      path: { webhook_id, delivery_id },
    }),
}
