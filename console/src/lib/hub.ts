/** Everything that the console asks of the hub. Screens call these functions and know no path of the API. */

import type { components } from '../../../sdk/api.generated.ts'
import { connect } from '../../../sdk/connect.ts'
import { connection } from './connection.svelte.ts'

type Schemas = components['schemas']
export type Descriptor = Schemas['Descriptor']
export type Stats = Schemas['ExplorerStats']
export type RoundSummary = Schemas['RoundSummary']
export type Round = Schemas['Round']
export type ProjectSummary = Schemas['ProjectSummary']
export type Task = Schemas['Task']
export type Status = Schemas['Status']
export type Epoch = Schemas['Epoch']
export type Token = ProjectSummary['token']

/** What the hub refused, in its own words. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly requestId: string | null
  readonly docUrl: string | null
  readonly details: Readonly<Record<string, unknown>>
  /** Seconds after which it may answer; null where it does not say. */
  readonly retryAfter: number | null

  constructor(response: Response, body: unknown) {
    const { error, message, details = {}, request_id } = (body ?? {}) as Partial<Schemas['Error']>
    super(message ?? '')
    this.code = error ?? 'unknown'
    this.status = response.status
    this.requestId = request_id ?? response.headers.get('X-Request-Id')
    this.details = details as Record<string, unknown>
    this.docUrl = typeof this.details.doc_url === 'string' ? this.details.doc_url : null
    const seconds = Number(response.headers.get('Retry-After'))
    this.retryAfter = seconds > 0 ? seconds : null
  }

  /** The same call may succeed later by itself. */
  get passes(): boolean {
    return this.status === 429 || this.status >= 500
  }
}

/** The hub cannot be reached. */
export class Away extends Error {
  override readonly name = 'Away'
}

const client = connect(location.origin, {
  fetch: async (request) => {
    try {
      const response = await fetch(request)
      connection.reached()
      return response
    } catch (error) {
      throw new Away((error as Error).message)
    }
  },
})

async function read<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer
  if (response.ok) return data as T
  throw new Refusal(response, error)
}

const page = 25

export const hub = {
  descriptor: () => read(client.GET('/')),
  stats: () => read(client.GET('/v1/explorer/stats')),
  status: () => read(client.GET('/v1/status')),
  faucet: () => read(client.GET('/v1/faucet')),
  params: () => read(client.GET('/v1/network/params')),
  categories: () => read(client.GET('/v1/categories')),
  search: (q: string) => read(client.GET('/v1/explorer/search', { params: { query: { q } } })),

  rounds: (query: { limit?: number; cursor?: string; state?: string; project_id?: string } = {}) =>
    read(client.GET('/v1/explorer/rounds', { params: { query: { limit: page, ...query } as never } })),
  round: (round_id: string) =>
    read(client.GET('/v1/explorer/rounds/{round_id}', { params: { path: { round_id } } })),
  receipt: (receipt_hash: string) =>
    read(client.GET('/v1/explorer/receipts/{receipt_hash}', { params: { path: { receipt_hash } } })),

  projects: (query: {
    q?: string
    category?: string
    device_class?: string
    sort?: string
    cursor?: string
  }) => read(client.GET('/v1/projects', { params: { query: { limit: page, ...query } as never } })),
  /** By id or slug. */
  project: async (name: string) => {
    const project_id = name.startsWith('0x')
      ? name
      : (
          await read(
            client.GET('/v1/projects/{project_id}/manifest', { params: { path: { project_id: name } } }),
          )
        ).project_id
    return read(client.GET('/v1/projects/{project_id}', { params: { path: { project_id } } }))
  },
  versions: (project_id: string) =>
    read(client.GET('/v1/projects/{project_id}/versions', { params: { path: { project_id } } })),
  version: (project_id: string, version: number) =>
    read(
      client.GET('/v1/projects/{project_id}/versions/{version}', {
        params: { path: { project_id, version } },
      }),
    ),
  reviews: (project_id: string) =>
    read(client.GET('/v1/projects/{project_id}/reviews', { params: { path: { project_id } } })),
  epochs: (project_id: string) =>
    read(
      client.GET('/v1/projects/{project_id}/epochs', {
        params: { path: { project_id }, query: { limit: 24 } },
      }),
    ),
  epoch: (project_id: string, epoch: number) =>
    read(client.GET('/v1/explorer/epochs/{project_id}/{epoch}', { params: { path: { project_id, epoch } } })),

  /** The devices that committees of an epoch are drawn from, and who attested them. */
  set: (project_id: string, epoch: number) =>
    read(client.GET('/v1/committees/{project_id}/{epoch}', { params: { path: { project_id, epoch } } })),
  beacon: (epoch_secs: number, epoch: number) =>
    read(client.GET('/v1/beacons/{epoch_secs}/{epoch}', { params: { path: { epoch_secs, epoch } } })),
  generations: () => read(client.GET('/v1/validators/generations')),
  validators: (generation?: number) =>
    read(client.GET('/v1/validators', { params: { query: generation === undefined ? {} : { generation } } })),

  submitTask: (project_id: string, body: Schemas['TaskInput']) =>
    read(client.POST('/v1/projects/{project_id}/tasks', { params: { path: { project_id } }, body })),
  /** Answers when the task has moved on, or after a second. */
  task: (task_id: string) =>
    read(client.GET('/v1/tasks/{task_id}', { params: { path: { task_id }, query: { wait: 1 } } })),

  device: (node_id: string) => read(client.GET('/v1/devices/{node_id}', { params: { path: { node_id } } })),
}
