import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'

/** @throws {@link ApiError} 503 `unavailable`: the operator has to find who holds the key. */
export function requireArbiter(c: HubContext): void {
  if (c.var.services.arbiter === null)
    throw new ApiError(
      'unavailable',
      'This hub is not the arbiter: it has no ARBITER_PRIVATE_KEY. Set it, or decide with a transaction of the arbiter’s own.',
      { headers: { 'Retry-After': '3600' } },
    )
}
