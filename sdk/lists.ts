import type { Client } from './client.ts'
import type { CallArguments, CallOptions, Given, Item, ListOperation } from './operations.ts'

/** The lists that have a name. Every other one is `hub.list('GET /…')`. */
const namedLists = {
  rounds: 'GET /v1/explorer/rounds',
  epochs: 'GET /v1/explorer/epochs',
  slashes: 'GET /v1/explorer/slashes',
  projects: 'GET /v1/projects',
  modules: 'GET /v1/modules',
  devices: 'GET /v1/me/devices',
  subscriptions: 'GET /v1/me/subscriptions',
  proofs: 'GET /v1/me/proofs',
  leases: 'GET /v1/me/leases',
  withdrawals: 'GET /v1/me/withdrawals',
  notifications: 'GET /v1/me/notifications',
} as const satisfies Record<string, ListOperation>

export type NamedLists = {
  readonly [Name in keyof typeof namedLists]: {
    /** Filters as in the reference; `limit` is the size of a page. A page is read when its first item is wanted. */
    readonly list: (
      query?: CallArguments<(typeof namedLists)[Name]>['query'],
      options?: CallOptions,
    ) => AsyncGenerator<Item<(typeof namedLists)[Name]>, void>
  }
}

/** Reads a list page by page. */
export async function* listItems<O extends ListOperation>(
  client: Client,
  operation: O,
  ...[args]: Given<O>
): AsyncGenerator<Item<O>, void> {
  for (let cursor: string | undefined; ; ) {
    const query = { ...(args?.query as object | undefined), ...(cursor !== undefined && { cursor }) }
    const page = await client.call(operation, ...([{ ...args, query }] as unknown as Given<O>))
    const { items, next_cursor } = page as unknown as { items: Item<O>[]; next_cursor: string | null }
    yield* items
    if (next_cursor === null || next_cursor === cursor) return
    cursor = next_cursor
  }
}

export function listsOf(client: Client): NamedLists {
  const entries = Object.entries(namedLists).map(([name, operation]) => [
    name,
    {
      list: (query?: object, options?: CallOptions) =>
        listItems(client, operation, ...([{ ...options, query }] as Given<typeof operation>)),
    },
  ])
  return Object.fromEntries(entries)
}
