import type { HubContext } from '../../context.ts'
import { inTime } from '../../deadline.ts'
import type { Answer } from '../../http/answer.ts'
import { givenReads } from './reads.ts'

/** Where the page has the answers, before the script that shows them; `scripts/console.ts` puts it there. */
const place = '<!--given-->'
/** A page does not wait longer for what its script can ask as well. */
const readMs = 1_000
/** A larger answer the script asks for itself: the page is seen before. */
const answerBytesMax = 32_768

/**
 * The page of a screen with the answers to what it reads first, as the API gives them to anybody. Null where the page is better
 * off without: its screen asks for something else, or an answer is not there in time.
 */
export async function withAnswers(
  c: HubContext,
  screen: string,
  page: Answer['body'],
): Promise<string | null> {
  const paths = givenReads[screen]
  const params = c.req.param()
  if (paths === undefined || isOther(c)) return null
  const asked = Promise.all(paths.map((path) => answerTo(c, readPath(path, params))))
  const answers = await inTime(asked, readMs).catch((error) => {
    console.error(`${c.var.requestId} GET ${c.req.path}`, error)
    return []
  })
  const found = paths.flatMap((path, index) => {
    const answer = answers[index] ?? null
    return answer === null ? [] : [`${JSON.stringify(path)}:${answer}`]
  })
  if (found.length === 0) return null
  const given = `{"params":${JSON.stringify(params)},"answers":{${found.join(',')}}}`
  const block = `<script type="application/json" id="given">${given.replaceAll('<', '\\u003c')}</script>`
  return (await new Response(page as BodyInit).text()).replace(place, () => block)
}

/** A filter asks for something else, and of a slug the script looks up the id. */
export const isOther = ({ req }: HubContext): boolean =>
  req.url.includes('?') || req.param('project')?.startsWith('0x') === false

export const readPath = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))

/** JSON; null where there is none. */
async function answerTo(c: HubContext, path: string): Promise<string | null> {
  const answer = await c.read(path)
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json')
  const text = await answer.text()
  return answer.status === 200 && isJson && text.length <= answerBytesMax ? text : null
}
