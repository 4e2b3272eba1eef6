/** The answers that the hub has put into the page, so that its first drawing has them: `workers/routes/console/reads.ts` names them. */
import type { QueryClient, QueryKey } from '@tanstack/svelte-query'
import { setNow } from './clock.svelte.ts'
import { isStarting } from './later.ts'

type Params = Readonly<Record<string, string>>
// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, as a query would have read it
type Given = any

/** Which query each is the answer to. */
const keys: Readonly<Record<string, QueryKey>> = {
  '/': ['network'],
  '/v1/explorer/stats': ['stats'],
  '/v1/explorer/rounds?limit=20&kind=task': ['rounds', 'latest'],
  '/v1/categories': ['categories'],
  '/v1/projects?limit=25': ['projects', {}],
  '/v1/network/params': ['params'],
  '/v1/projects/{project}': ['project', '{project}'],
  '/v1/projects/{project}/epochs?limit=24': ['epochs', '{project}'],
  '/v1/explorer/rounds?limit=6&kind=task&project_id={project}': ['rounds', 'project', '{project}'],
  '/v1/projects/{project}/reviews': ['reviews', '{project}'],
  '/v1/projects/{project}/versions': ['versions', '{project}'],
  '/v1/explorer/rounds/{round}': ['round', '{round}'],
  '/v1/tasks/{round}': ['outcome', '{round}'],
}

/** The data that a query makes of its answer; undefined if the query has to ask for itself. */
function dataOf(name: unknown, answer: Given): unknown {
  if (name === 'network') setNow(answer.time)
  if (name === 'projects' || name === 'reviews') return { pages: [answer], pageParams: [''] }
  // A task that goes on is asked for again.
  return name === 'outcome' && answer.finalized_at === null ? undefined : answer
}

/** Back to a page, or in a tab of yesterday, a browser shows the copy that it kept, and its answers are as old. */
const isKept = (): boolean => {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return page?.transferSize === 0
}

/**
 * A text that the hub has written into the page, by its name in `workers/routes/console/shown.ts`: it stays until the record is there,
 * also in a copy that the browser kept. To be read while the screen starts, before it draws.
 */
export const shownText = (name: string): string =>
  isStarting() ? (globalThis.document?.querySelector(`[data-shown="${name}"]`)?.textContent ?? '') : ''

/** Takes the answers that came with the page, once: another screen requests its own. */
export function takeGiven(client: QueryClient): void {
  const block = globalThis.document?.getElementById('given')
  if (!block) return
  const { params, answers } = JSON.parse(block.textContent) as {
    params: Params
    answers: Record<string, Given>
  }
  block.remove()
  if (isKept()) return
  for (const [path, answer] of Object.entries(answers)) {
    const key = keys[path]?.map((part) => params[String(part).slice(1, -1)] ?? part)
    if (key) client.setQueryData(key, dataOf(key[0], answer))
  }
}
