import type { Route } from './route.ts'

export type Found =
  | { readonly status: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  /** The path is there and does not take the method. */
  | { readonly status: 'other_method'; readonly allowed: readonly string[] }
  | { readonly status: 'nothing' }

interface Entry {
  readonly segments: readonly string[]
  readonly route: Route
}

/**
 * Finds the route of a request. Paths are compared as they came, segment by segment: nothing is decoded, joined or
 * shortened, so that a path has one spelling here and in front of every proxy.
 */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Found {
  const entries: readonly Entry[] = routes.map((route) => ({ segments: route.path.split('/'), route }))
  return (method, path) => {
    const segments = path.split('/')
    const fitting = entries.filter((entry) => fits(entry.segments, segments))
    if (fitting.length === 0) return { status: 'nothing' }
    const wanted = method === 'HEAD' ? 'GET' : method
    const entry = fitting.find(({ route }) => route.method === wanted)
    if (entry === undefined) return { status: 'other_method', allowed: allowedBy(fitting) }
    return { status: 'found', route: entry.route, params: paramsOf(entry.segments, segments) }
  }
}

const fits = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]))

const paramsOf = (pattern: readonly string[], segments: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pattern.flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), segments[i]!] as const] : [])),
  )

function allowedBy(entries: readonly Entry[]): string[] {
  const methods = new Set(entries.map(({ route }) => route.method as string))
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods].sort()
}
