import { ApiError, invalidField } from './api-error.ts'

const targetLengthMax = 4096

/**
 * Reads a request target in its two parts, each exactly as sent. Only the form that clients send to a server is taken: no absolute URL, no fragment.
 * @throws {@link ApiError} 400 `bad_request`.
 */
export function readTarget(target: string): { path: string; search: string } {
  if (target.length > targetLengthMax)
    throw new ApiError('bad_request', `The path is longer than ${targetLengthMax} characters.`)
  if (!/^\/[\x21-\x7e]*$/.test(target) || target.includes('#'))
    throw new ApiError('bad_request', 'The request target must be a path that begins with a slash.')
  const at = target.indexOf('?')
  return at < 0 ? { path: target, search: '' } : { path: target.slice(0, at), search: target.slice(at + 1) }
}

/**
 * Reads the parameters of a query.
 *
 * @param names Those the route takes.
 * @throws {@link ApiError} 400 `invalid_field` for any other, and for one that comes twice.
 */
export function readQuery(search: string, names: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (!names.includes(name)) throw invalidField(name, 'is not a parameter of this call', 'unknown_key')
    if (values.has(name)) throw invalidField(name, 'is given more than once')
    values.set(name, value)
  }
  return values
}

/** Reads how many items a page may have. @throws {@link ApiError} 400 `invalid_field` */
export function readLimit(query: ReadonlyMap<string, string>, usual: number, max: number): number {
  const limit = query.get('limit') ?? String(usual)
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > max)
    throw invalidField('limit', `must be a whole number from 1 to ${max}`)
  return Number(limit)
}
