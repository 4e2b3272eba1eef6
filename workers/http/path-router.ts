import type { Router } from 'hono/router'

/** By method. */
type Handlers<T> = Map<string, { handler: T; names: readonly string[] }>

interface Node<T> {
  /** By the segment they stand for. */
  literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  handlers: Handlers<T>
}

const node = <T>(): Node<T> => ({ literals: new Map(), parameter: undefined, handlers: new Map() })

const anyMethod = 'ALL'

/**
 * A router for hono that finds the one handler of a request, a step for each segment. hono's own fast router refuses `/developers/me/drafts`
 * beside `/developers/:address`; its other one tries patterns in turn. Literals come before `:name`, and the path decides before the method:
 * `/devices/bind` is never the device `bind`.
 */
export class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter'
  readonly #root = node<T>()

  add(method: string, path: string, handler: T): void {
    const names: string[] = []
    let at = this.#root
    for (const segment of segmentsOf(path)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1))
        at.parameter ??= node()
        at = at.parameter
      } else {
        const next = at.literals.get(segment) ?? node<T>()
        at.literals.set(segment, next)
        at = next
      }
    }
    // As in any router of hono, of two handlers the first one answers.
    if (!at.handlers.has(method)) at.handlers.set(method, { handler, names })
  }

  match(method: string, path: string): [[T, Record<string, string>][]] {
    const segments = segmentsOf(path)
    const values: string[] = []
    const handlers = find(this.#root, segments, 0, values)
    const found = handlers?.get(method) ?? handlers?.get(anyMethod)
    if (found === undefined) return [[]]
    const params = Object.fromEntries(found.names.map((name, index) => [name, values[index] ?? '']))
    return [[[found.handler, params]]]
  }
}

const segmentsOf = (path: string): string[] => path.slice(1).split('/')

/** The handlers of a path. @param values Takes the values of the parameters on the way. */
function find<T>(
  { literals, parameter, handlers }: Node<T>,
  segments: readonly string[],
  depth: number,
  values: string[],
): Handlers<T> | undefined {
  const segment = segments[depth]
  if (segment === undefined) return handlers.size > 0 ? handlers : undefined
  const literal = literals.get(segment)
  const found = literal && find(literal, segments, depth + 1, values)
  if (found || parameter === undefined || segment === '') return found
  values.push(segment)
  const matched = find(parameter, segments, depth + 1, values)
  if (matched === undefined) values.pop()
  return matched
}
