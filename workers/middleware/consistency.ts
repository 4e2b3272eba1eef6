import type { HonoRequest } from 'hono'
import type { HubContext } from '../context.ts'
import { bookmarkHeader } from '../http/bookmark.ts'
import type { Consistency } from '../stores/request-database.ts'

/**
 * Which copy of the database answers. Reads without a credential go to the nearest, or to one that has seen the write of their bookmark. All
 * else begins with the primary: what was signed in must be known, what was revoked refused, and writes are decided where everything is.
 */
export function consistencyOf(req: HonoRequest, nodeSigned: boolean): Consistency {
  if (req.method !== 'GET' && req.method !== 'HEAD') return 'first-primary'
  if (nodeSigned || req.header('authorization') !== undefined) return 'first-primary'
  // A caller that waits needs the present state. A caller that continues after an event may have seen more than the nearest copy has.
  const isFollowing = req.query('after') !== undefined || req.header('last-event-id') !== undefined
  if (isFollowing || req.query('wait') !== undefined) return 'first-primary'
  const bookmark = req.header(bookmarkHeader)
  if (bookmark === undefined) return 'first-unconstrained'
  return /^[0-9a-f-]{1,128}$/.test(bookmark) ? bookmark : 'first-primary'
}

/** The bookmark in the answer, for the caller's next reads; undefined for answers that others may be given. */
export function bookmarkOf(c: HubContext): string | undefined {
  const { method } = c.req
  const isPublic = c.var.credential === null && (method === 'GET' || method === 'HEAD')
  return isPublic ? undefined : c.var.database.bookmark
}
