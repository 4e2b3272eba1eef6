import { createInfiniteQuery, type QueryClient } from '@tanstack/svelte-query'
import { SvelteSet } from 'svelte/reactivity'
import { pollMs } from './live.ts'

interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}

interface ListQuery {
  readonly cursor?: string
  readonly limit?: number
}

/** Pages after the first one are as long as the API has them. */
const laterPage = 100
/** A list that somebody left is kept this long, in milliseconds, so that it is there when they come back. */
const keptMs = 30 * 60_000

type Shown = { state: { data: { pages: unknown[] } | undefined; status: string } }
const hasMore = ({ state: { data } }: Shown): boolean => (data?.pages.length ?? 0) > 1

/** A list, page by page. It is read again by itself only while nobody has gone beyond its first page. */
export const pagesOf = <P extends Page<unknown>>(
  options: () => { key: readonly unknown[]; read: (query: ListQuery) => Promise<P>; isLive?: boolean },
) =>
  createInfiniteQuery(() => {
    const { key, read, isLive = false } = options()
    return {
      queryKey: key,
      queryFn: ({ pageParam }: { pageParam: string }) =>
        read(pageParam === '' ? {} : { cursor: pageParam, limit: laterPage }),
      initialPageParam: '',
      getNextPageParam: (last: P) => last.next_cursor ?? undefined,
      gcTime: keptMs,
      refetchOnMount: (query: Shown) => !hasMore(query),
      refetchOnWindowFocus: (query: Shown) => !hasMore(query),
      refetchOnReconnect: (query: Shown) => !hasMore(query),
      refetchInterval: (query: Shown) =>
        isLive && query.state.status !== 'error' && !hasMore(query) ? pollMs() : false,
    }
  })

/** Goes back to the first page, which is read again. */
export async function showNewest(queries: QueryClient, key: readonly unknown[]): Promise<void> {
  scrollTo({ top: 0 })
  await queries.resetQueries({ queryKey: key, exact: true })
}

/** Heights of blocks that were shown, by list and width, so that a list has its place again at once. */
const heights = new Map<string, number>()

/** Blocks of rows, of which only those near the screen are in the page. */
export class Blocks {
  readonly near = new SvelteSet<number>([0])
  readonly #observer: IntersectionObserver | null
  readonly #name: () => string
  readonly #indexes = new WeakMap<Element, number>()

  /** @param name Of the list; what is remembered of one says nothing of another. */
  constructor(name: () => string) {
    this.#name = name
    this.#observer =
      typeof IntersectionObserver === 'undefined'
        ? null
        : new IntersectionObserver(this.#look, { rootMargin: '1500px 0px' })
  }

  heightOf(index: number, estimate: number): number {
    return heights.get(this.#key(index)) ?? estimate
  }

  /** An action of the element of each block. */
  readonly follow = (element: HTMLElement, index: number) => {
    this.#indexes.set(element, index)
    this.#observer?.observe(element)
    return {
      update: (next: number) => this.#indexes.set(element, next),
      destroy: () => this.#observer?.unobserve(element),
    }
  }

  end(): void {
    this.#observer?.disconnect()
  }

  #key = (index: number): string => `${this.#name()} ${index} ${innerWidth}`

  #look = (entries: IntersectionObserverEntry[]): void => {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const index = this.#indexes.get(target) ?? 0
      if (isIntersecting) this.near.add(index)
      // A block with the keyboard focus stays.
      else if (this.near.has(index) && !target.contains(document.activeElement)) {
        if (boundingClientRect.height > 0) heights.set(this.#key(index), boundingClientRect.height)
        this.near.delete(index)
      }
    }
  }
}
