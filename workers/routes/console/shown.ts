import { lastFrame, ringOf } from '../../../console/src/lib/ring.ts'
import { takesTasks } from '../../../console/src/lib/states.ts'
import { sentence } from '../../../console/src/lib/texts/ring.ts'
import { givenReads } from './reads.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, which its schema holds
type Given = any

/** By the name that an element of the page has in `data-shown`; null where the element is not to be seen. */
export type Shown = Readonly<Record<string, string | null>>

/** The texts that are largest on a screen, as its script draws them: they are seen while the script loads. */
export function shownOf(
  screen: string,
  params: Readonly<Record<string, string>>,
  answers: Readonly<Record<string, string>>,
): Shown {
  const answer = (path: string): Given =>
    answers[path] === undefined ? undefined : JSON.parse(answers[path])
  return readers[screen]?.(answer, params) ?? {}
}

const [, projectRead] = givenReads['/projects/{project}'] as readonly [string, string]
const [, roundRead] = givenReads['/rounds/{round}'] as readonly [string, string]

const readers: Readonly<
  Record<string, (answer: (path: string) => Given, params: Readonly<Record<string, string>>) => Shown>
> = {
  '/projects/{project}': (answer) => {
    const project = answer(projectRead)
    if (project === undefined) return {}
    return {
      name: project.name,
      tagline: project.tagline,
      developer: project.developer_name ?? '',
      description: project.listing.description ?? '',
      ...(!takesTasks(project.listing_status) && { try: null }),
    }
  },
  '/rounds/{round}': (answer, { round: id = '' }) => {
    const round = answer(roundRead)
    if (round === undefined) return { id }
    const ring = ringOf(round, answer('/')?.validators ?? { count: 0, quorum: 0 })
    return { id, sentence: sentence(ring, lastFrame(ring)) }
  },
}
