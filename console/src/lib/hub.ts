/** Everything that the console asks of the hub. Screens call these functions and know no path of the API. */
import { Client, type Credential } from '../../../sdk/client.ts'
import { hubOf } from '../../../sdk/hub.ts'
import type { Answer, Hub, Schemas } from '../../../sdk/index.ts'
import { setNow } from './clock.svelte.ts'
import { connection } from './connection.svelte.ts'

export type Descriptor = Schemas['Descriptor']
export type RoundSummary = Schemas['RoundSummary']
export type Round = Schemas['Round']
export type Task = Schemas['Task']
export type ProjectSummary = Schemas['ProjectSummary']
export type Project = Schemas['Project']
export type Compatibility = Schemas['Compatibility']
export type Epoch = Schemas['Epoch']
export type FinalityHour = Schemas['FinalityHour']
export type Slash = Schemas['SlashDetail']
export type Transaction = Schemas['Transaction']
export type Status = Schemas['Status']
export type Token = Schemas['ProjectSummary']['token']
type Query<O extends 'GET /v1/projects' | 'GET /v1/explorer/rounds'> = Readonly<
  Partial<
    Record<
      O extends 'GET /v1/projects' ? ProjectFilter : 'limit' | 'cursor' | 'state' | 'kind' | 'project_id',
      unknown
    >
  >
>
const incidentTypes = ['round.escalated', 'slash.executed', 'project.paused', 'project.delisted'] as const
type ProjectFilter = 'q' | 'category' | 'device_class' | 'developer' | 'sort' | 'limit' | 'cursor'

/** Told each answer, by screens that need its headers. */
export const listener: { hear?: (response: Response) => void } = {}

/** The address of the hub, which is the host of the page. It has none while it is drawn for the build. */
export const origin = globalThis.location?.origin ?? 'https://hub.invalid'

/** Calls without a credential. */
export const anyone = new Client({
  url: origin,
  // Screens show what they wait for, so they send calls again themselves.
  retry: { attempts: 1 },
  fetch: async (request) => {
    const isStream = request.headers.get('Accept') === 'text/event-stream'
    try {
      const response = await fetch(request)
      connection.reached()
      if (isStream) connection.live = response.ok
      listener.hear?.(response)
      return response
    } catch (error) {
      if (isStream) connection.live = false
      throw error
    }
  },
})
const { call, events, find, list, network } = hubOf(anyone, anyone)

/** The same hub, called by a wallet that is signed in. */
export const hubAs = (credential: Credential): Hub => {
  const client = anyone.as(credential)
  return hubOf(client, anyone, client)
}

/** Rows of a list. */
const limit = 25

export const hub = {
  events,
  /** Names and chain of the network, read once. */
  network,
  descriptor: async () => {
    const descriptor = await call('GET /')
    setNow(descriptor.time)
    return descriptor
  },
  stats: () => call('GET /v1/explorer/stats'),
  status: () => call('GET /v1/status'),
  faucet: () => call('GET /v1/faucet'),
  params: () => call('GET /v1/network/params'),
  paramsAt: (time: number) => call('GET /v1/network/params', { query: { at: String(time) } }),
  categories: () => call('GET /v1/categories'),
  search: (q: string) => call('GET /v1/explorer/search', { query: { q } }),

  // A value from the address of a screen may be invalid for the API, whose answer then says so.
  /** Of tasks, unless the query names another kind. */
  rounds: (query: Query<'GET /v1/explorer/rounds'>): Promise<Answer<'GET /v1/explorer/rounds'>> =>
    call('GET /v1/explorer/rounds', { query: { limit, kind: 'task', ...query } as never }),
  round: (round_id: string) => call('GET /v1/explorer/rounds/{round_id}', { path: { round_id } }),
  receipt: (receipt_hash: string) =>
    call('GET /v1/explorer/receipts/{receipt_hash}', { path: { receipt_hash } }),
  /** Null if it does not exist. */
  findReceipt: (receipt_hash: string) =>
    find('GET /v1/explorer/receipts/{receipt_hash}', { path: { receipt_hash } }),

  slash: (evidence_hash: string) => call('GET /v1/slashes/{evidence_hash}', { path: { evidence_hash } }),
  finality: () => call('GET /v1/explorer/finality'),
  /** The newest events of each type that reports an incident. Most escalated rounds are none: an audit drew them. */
  incidentEvents: () =>
    Promise.all(incidentTypes.map((type) => call('GET /v1/events', { query: { type, limit: 100 } }))),

  projects: (query: Query<'GET /v1/projects'>): Promise<Answer<'GET /v1/projects'>> =>
    call('GET /v1/projects', { query: { limit, ...query } as never }),
  /** By id or slug. */
  project: async (name: string) => {
    const project_id = name.startsWith('0x')
      ? name
      : (await call('GET /v1/projects/{project_id}/manifest', { path: { project_id: name } })).project_id
    return call('GET /v1/projects/{project_id}', { path: { project_id } })
  },
  compatibility: (project_id: string, node_id: string) =>
    call('POST /v1/projects/{project_id}/compatibility', { path: { project_id }, body: { node_id } }),
  versions: (project_id: string) => call('GET /v1/projects/{project_id}/versions', { path: { project_id } }),
  /** The newest first, page by page as they are needed. */
  allVersions: (project_id: string) =>
    list('GET /v1/projects/{project_id}/versions', { path: { project_id }, query: { limit: 100 } }),
  version: (project_id: string, version: number) =>
    call('GET /v1/projects/{project_id}/versions/{version}', { path: { project_id, version } }),
  announcements: (project_id: string) =>
    call('GET /v1/projects/{project_id}/announcements', { path: { project_id }, query: { limit: 5 } }),
  reviews: (project_id: string, query: { cursor?: string; limit?: number }) =>
    call('GET /v1/projects/{project_id}/reviews', { path: { project_id }, query }),
  epochs: (project_id: string) =>
    call('GET /v1/projects/{project_id}/epochs', { path: { project_id }, query: { limit: 24 } }),
  epoch: (project_id: string, epoch: string) =>
    call('GET /v1/explorer/epochs/{project_id}/{epoch}', { path: { project_id, epoch: epoch as never } }),

  /** The devices that committees of an epoch are drawn from, and who attested them. */
  set: (project_id: string, epoch: number) =>
    call('GET /v1/committees/{project_id}/{epoch}', { path: { project_id, epoch } }),
  /** All of them: each is signed by the one before. */
  generations: async () => {
    const all: Schemas['ValidatorGeneration'][] = []
    for await (const one of list('GET /v1/validators/generations', { query: { limit: 100 } })) all.push(one)
    return all
  },

  /** A call that is sent again with the same key names the same task. */
  submitTask: (project_id: string, body: Schemas['TaskInput']) =>
    call('POST /v1/projects/{project_id}/tasks', { path: { project_id }, body, idempotencyKey: null }),
  /** Answers when the task has moved on, or after a second. */
  task: (task_id: string) => call('GET /v1/tasks/{task_id}', { path: { task_id }, query: { wait: 1 } }),

  /** An action that somebody signed, or that the hub sends for somebody; by its id, or by its hash on the chain. */
  transaction: (id: string) => call('GET /v1/transactions/{id}', { path: { id } }),

  /** Null if the hub knows nothing of it. */
  account: (address: string) => find('GET /v1/accounts/{address}', { path: { address } }),
  balances: (address: string) => call('GET /v1/accounts/{address}/balances', { path: { address } }),
  subscription: (subscription_id: string) =>
    call('GET /v1/subscriptions/{subscription_id}', { path: { subscription_id } }),
  /** Of listed projects by id, those with most devices where there are very many. */
  projectNames: async (): Promise<Readonly<Record<string, string>>> => {
    const { items } = await call('GET /v1/projects', { query: { sort: 'miners', limit: 100 } })
    return Object.fromEntries(items.map(({ project_id, name }) => [project_id, name]))
  },

  device: (node_id: string) => call('GET /v1/devices/{node_id}', { path: { node_id } }),
}
