import type { HubContext } from '../context.ts'
import { ApiError } from '../errors.ts'

/** Refuses a compressed body, which would be taken for broken JSON or other bytes. @throws {@link ApiError} 415 `bad_request`. */
export function requireUnencoded(c: HubContext): void {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return
  throw new ApiError('bad_request', `Send the body as it is, without Content-Encoding ${encoding}.`, {
    status: 415,
    headers: { 'Accept-Encoding': 'identity' },
  })
}
