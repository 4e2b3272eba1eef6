import type { HubContext } from '../../context.ts'
import { inTime } from '../../deadline.ts'
import type { Answer } from '../../http/answer.ts'
import { givenReads } from './reads.ts'
import { type Shown, shownOf } from './shown.ts'

/** The place of the answers in a page, before the script that shows them; `scripts/console.ts` puts it there. */
const place = '<!--given-->'
/** A page does not wait longer for an answer, since its script can ask for it too. */
const readMs = 1_000
/** The script asks for a larger answer itself, so that the page shows earlier. The round of a committee of sixteen is smaller. */
const answerBytesMax = 65_536

/**
 * The page of a screen with the answers to its first reads, as the API gives them to anybody. Null if the page is better
 * off without: its screen asks for something else, or no answer is there in time.
 */
export async function withAnswers(
  c: HubContext,
  screen: string,
  page: Answer['body'],
): Promise<string | null> {
  const paths = givenReads[screen]
  const params = c.req.param()
  if (paths === undefined || isOther(c) || c.req.method === 'HEAD') return null
  const answers = await Promise.all(
    paths.map((path) =>
      inTime(answerTo(c, readPath(path, params)), readMs).catch((error) => {
        console.error(`${c.var.requestId} GET ${path}`, error)
        return null
      }),
    ),
  )
  const found = paths.flatMap((path, index) => {
    const answer = answers[index] ?? null
    return answer === null ? [] : [`${JSON.stringify(path)}:${answer}`]
  })
  if (found.length === 0) return null
  const given = `{"params":${JSON.stringify(params)},"answers":{${found.join(',')}}}`
  const block = `<script type="application/json" id="given">${given.replaceAll('<', '\\u003c')}</script>`
  const text = await withTexts(new Response(page as BodyInit), textsOf(c, params, answers)).text()
  return text.replace(place, () => block)
}

/** No texts of a malformed record: the script shows its error. */
function textsOf(c: HubContext, params: Record<string, string>, answers: readonly (string | null)[]): Shown {
  try {
    return shownOf(params, answers)
  } catch (error) {
    console.error(`${c.var.requestId} texts of ${c.req.path}`, error)
    return {}
  }
}

/** Texts stay texts: the rewriter escapes them. */
const withTexts = (page: Response, shown: Shown): Response =>
  new HTMLRewriter()
    .on('[data-shown]', {
      element(element) {
        const text = shown[element.getAttribute('data-shown') ?? '']
        if (text === null) element.setAttribute('hidden', '')
        else if (text !== undefined) element.setInnerContent(text)
      },
    })
    .transform(page)

/** A filter asks for something else. If the path names a project by another text than its id, the script looks up the id. */
export const isOther = ({ req }: HubContext): boolean =>
  req.url.includes('?') || !/^0x[0-9a-f]{64}$/.test(req.param('project') ?? anyId)

const anyId = `0x${'0'.repeat(64)}`

export const readPath = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))

/** The JSON of a successful answer; null if the answer is another one, or too large for the page. */
async function answerTo(c: HubContext, path: string): Promise<string | null> {
  const answer = await c.read(path)
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json')
  const text = await answer.text()
  return answer.status === 200 && isJson && text.length <= answerBytesMax ? text : null
}
