import type { LoggedEvent } from '../../../../durable-objects/events/types.ts'
import { bodyOf, type Client, client } from '../../../test/client.ts'
import { runSql } from '../../../test/tables.ts'

export type Event = LoggedEvent & { id: string }
export interface Page {
  items: Event[]
  next_cursor: string
  archived_before: number | null
}

export const projectId = `0x${'1'.repeat(64)}`
export const other = `0x${'2'.repeat(64)}`

/** Logs an event as a trigger does. */
export const tell = (
  type: string,
  { address, project = projectId }: { address?: string; project?: string } = {},
) =>
  runSql(
    'INSERT INTO new_events (type, created_at, address, project_id, data) VALUES (?, 7, ?, ?, ?)',
    type,
    address ?? null,
    project,
    '{"n":1}',
  )

export const read = (path: string, by: Client = client()): Promise<Page> => bodyOf<Page>(by.get(path))
export const from = ({ next_cursor }: Page) => `after=${encodeURIComponent(next_cursor)}`
export const typesOf = ({ items }: { items: Event[] }) => items.map(({ type }) => type)
