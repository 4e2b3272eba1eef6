import { isBytes32 } from '../../../../protocol/encoding/index.ts'
import { ApiError, invalidField, unavailable } from '../http/api-error.ts'
import { json, type Route, type RouteRequest } from '../http/route.ts'
import { readLimit } from '../http/target.ts'
import type { Uses } from '../part.ts'
import { listPageMax } from '../sync/module-list.ts'
import type { ModuleStates } from '../sync/module-states.ts'

const limitDefault = 100
/** A page of the list ends after this time: the root of a large store may take long. */
const listMs = 2_000
const retrySeconds = 10

type Params = RouteRequest['params']

export interface SyncRouteParts extends Uses<'background' | 'isSyncing', 'modules'> {
  readonly states: ModuleStates
}

export const syncRoutes = ({ store, states, background, isSyncing }: SyncRouteParts): readonly Route[] => {
  const artifactOf = ({ address }: Params): { address: string; hbc: Uint8Array } => {
    requireWhole(isSyncing)
    if (!isBytes32(address)) throw invalidField('address', 'must be 0x and 64 hex digits in lower case')
    const hbc = store.modules.artifact(address)
    if (hbc === null) throw new ApiError('not_found', `This node has no module ${address}.`)
    return { address, hbc }
  }

  return [
    {
      method: 'GET',
      path: '/sync/modules',
      access: 'node',
      query: ['cursor', 'limit'],
      handle: async ({ query }) => {
        requireWhole(isSyncing)
        const { cursor, limit } = readListQuery(query)
        const found = store.modules.after(cursor, limit + 1)
        const until = performance.now() + listMs
        const modules: object[] = []
        for (const address of found.slice(0, limit)) {
          if (modules.length > 0 && performance.now() > until) break
          const { sequence, root } = await states.root(address)
          modules.push({ address, sequence, state_root: root })
        }
        const last = found[modules.length - 1]
        return json(200, { modules, next_cursor: found.length > modules.length ? last : null })
      },
    },
    {
      method: 'GET',
      path: '/sync/modules/:address',
      access: 'node',
      handle: async ({ params }) => {
        const { address, hbc } = artifactOf(params)
        const read = await background.run('readArtifact', hbc)
        if (read.status === 'invalid' || read.address !== address)
          throw unavailable(
            'The artifact of this module is damaged here. Ask another validator.',
            retrySeconds,
          )
        const summary = await states.summary(address)
        return json(200, { address, hbc_bytes: hbc.length, manifest: read.manifest, ...summary })
      },
    },
    {
      method: 'GET',
      path: '/sync/modules/:address/hbc',
      access: 'node',
      handle: ({ params }) => ({
        status: 200,
        contentType: 'application/octet-stream',
        body: artifactOf(params).hbc,
      }),
    },
    {
      method: 'GET',
      path: '/sync/modules/:address/state',
      access: 'node',
      query: ['sequence', 'bucket', 'index'],
      handle: async ({ params, query }) => {
        const { address } = artifactOf(params)
        const place = { bucket: readCount(query, 'bucket'), index: readCount(query, 'index') }
        const found = await states.page(address, readCount(query, 'sequence'), place)
        if (found.status === 'moved')
          throw new ApiError(
            'conflict',
            'The storage of the module has changed since; read the module again.',
            { details: { sequence: found.sequence } },
          )
        if (found.status === 'nothing')
          throw new ApiError('not_found', 'The module stores nothing at this bucket and index.')
        return json(200, { address, ...found.page })
      },
    },
  ]
}

/** Storage that is still being taken from peers is not served: it mixes moments. @throws {@link ApiError} 503 `unavailable` */
function requireWhole(isSyncing: () => boolean): void {
  if (isSyncing())
    throw unavailable('This node takes its modules from its peers at the moment.', retrySeconds)
}

function readListQuery(query: ReadonlyMap<string, string>): { cursor: string; limit: number } {
  const cursor = query.get('cursor') ?? ''
  if (cursor !== '' && !isBytes32(cursor))
    throw invalidField('cursor', 'must be next_cursor of the page before')
  return { cursor, limit: readLimit(query, limitDefault, listPageMax) }
}

function readCount(query: ReadonlyMap<string, string>, name: string): number {
  const text = query.get(name)
  if (text === undefined) throw invalidField(name, 'is required', 'missing')
  if (!/^(0|[1-9]\d{0,14})$/.test(text)) throw invalidField(name, 'must be a whole number from 0')
  return Number(text)
}
