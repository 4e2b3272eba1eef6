import type { Fetch } from './connect.ts'

const name = 'X-Bookmark'

/**
 * Sends the newest bookmark that the hub gave with every read, so that reads see what was written before, whichever copy of
 * the database answers them.
 */
export function keepBookmark(fetch: Fetch): Fetch {
  let newest: string | null = null
  return async (request) => {
    if (newest !== null && request.method === 'GET') request.headers.set(name, newest)
    const response = await fetch(request)
    const given = response.headers.get(name)
    // Bookmarks ascend as texts do; answers may come in another order than they were asked for.
    if (given !== null && (newest === null || given > newest)) newest = given
    return response
  }
}
