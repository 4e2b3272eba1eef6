import type { Browser, Page } from 'playwright-core'
import { consoleScreens, isSettled, operatorScreens, ownScreens } from '../scripts/console-screens.ts'
import { addAccount, follow, openLaptop, signInWith, useAccount } from './console-flow.ts'
import { payloads, run } from './hostile-texts.ts'

/** The fields that a developer can write into the listing of a project besides its name. */
export const hostileListing = {
  tagline: `"><svg onload=${run}>`,
  description: payloads.join('\n'),
  tags: ['<svg onload=ranHostile=1>'],
  icon: 'https://evil.example/icon.svg',
  screenshots: ['https://evil.example/1.png'],
  website: `https://evil.example/?"onmouseover="${run}`,
}

/** Members of answers that people, modules and nodes fill in. Ids, numbers and states have formats of their own. */
const texts = new Set([
  ...[
    'name',
    'title',
    'tagline',
    'description',
    'body',
    'reason',
    'message',
    'label',
    'summary',
    'error',
    'detail',
  ],
  ...[
    'developer_name',
    'display_name',
    'symbol',
    'network',
    'protocol',
    'region',
    'platform',
    'arch',
    'function',
  ],
  ...[
    'os_version',
    'nodectl_version',
    'halted',
    'status_reason',
    'output',
    'icon',
    'logo',
    'explorer',
    'links',
  ],
  ...[
    'screenshots',
    'tags',
    'website',
    'support',
    'docs',
    'video',
    'category',
    'functions',
    'action',
    'closed_reason',
  ],
])

/** Screens of accounts of the local network. */
const behindSignIn: Readonly<Record<string, readonly string[]>> = {
  Miner: [...Object.values(ownScreens).filter((path) => path.startsWith('/me')), '/run-a-device'],
  Developer: Object.values(ownScreens).filter((path) => path.startsWith('/build')),
  Operator: operatorScreens,
}

/** The block of a page that contains answers of the hub. */
const givenBlock = /(<script type="application\/json" id="given">)(.*?)(<\/script>)/s

/** An answer whose texts are payloads. */
function hostile(value: unknown, next: () => string, isText = false): unknown {
  if (typeof value === 'string') return isText ? next() : value
  if (Array.isArray(value)) return value.map((one) => hostile(one, next, isText))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, hostile(member, next, texts.has(name))]),
  )
}

/**
 * Opens every screen, those behind a sign-in among them, on a hub that answers with payloads where people, modules and nodes write
 * texts.
 *
 * @returns Scripts that ran, requests to other hosts, and injections that only the policy refused.
 */
export async function findInjections(browser: Browser, origin: string): Promise<string[]> {
  const faults: string[] = []
  const { headers } = await fetch(origin, { headers: { Accept: 'text/html' } })
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of ["frame-ancestors 'none'", "require-trusted-types-for 'script'", "script-src 'self'"])
    if (!policy.includes(rule)) faults.push(`the policy lacks ${rule}`)

  const page = await openWatched(browser, origin, faults)
  let shown = 0
  let isHostile = true
  const next = () => payloads[shown++ % payloads.length]!
  const hostilePage = (text: string) =>
    text.replace(givenBlock, (_, begin, given, end) => {
      const json = JSON.stringify(hostile(JSON.parse(given), next))
      return begin + json.replaceAll('<', '\\u003c') + end
    })
  const hostileAnswer = (text: string) => JSON.stringify(hostile(JSON.parse(text), next))
  await changeAnswers(page, origin, ({ type, url, contentType }) => {
    if (!isHostile) return null
    if (type === 'Document') return hostilePage
    return contentType.includes('json') && !/\/v1\/(events|auth)/.test(url) ? hostileAnswer : null
  })
  for (const path of Object.values(await consoleScreens(origin))) {
    // A link shows the same as a load where the document has nothing of the hub.
    if (givenBlock.test(await readDocument(origin + path))) await load(page, origin + path)
    else await follow(page, path)
    await lookForInjections(page, faults)
  }
  const searches = payloads.map((payload) => [payload, `/search?q=${encodeURIComponent(payload)}`] as const)
  await page.goto(origin + searches[0]![1])
  for (const [payload, path] of searches) {
    if (!(await hasCommonDocument(origin, path))) faults.push(`${path} has a document of its own`)
    await follow(page, path)
    await page.getByText(payload, { exact: true }).first().waitFor()
    await lookForInjections(page, faults)
  }
  if (shown < payloads.length) faults.push(`only ${shown} texts were shown`)
  // Wallets sign in with texts of the hub as they are.
  isHostile = false
  const [first = '', ...others] = Object.keys(behindSignIn)
  await signInWith(page, `${origin}/me`, first)
  for (const other of others) await addAccount(page, other)
  isHostile = true
  // The reload drops answers that were read before.
  await page.reload()
  for (const [who, paths] of Object.entries(behindSignIn)) {
    const before = shown
    await useAccount(page, who)
    for (const path of paths) {
      await follow(page, path)
      await lookForInjections(page, faults)
    }
    if (shown === before) faults.push(`no text was shown to the ${who}`)
  }
  await page.close()
  return [...new Set(faults)]
}

/** Whether the hub puts nothing of a search into the document: all that shows it is the script of the page. */
async function hasCommonDocument(origin: string, path: string): Promise<boolean> {
  return (await readDocument(origin + path)) === (await readDocument(`${origin}/search`))
}

const readDocument = async (url: string): Promise<string> =>
  (await fetch(url, { headers: { Accept: 'text/html' } })).text()

async function load(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForFunction(isSettled)
}

interface Answered {
  readonly type: string
  readonly url: string
  readonly contentType: string
}

/**
 * Changes documents and answers of the API on their way into a page. Playwright's routes would stop every request of a page,
 * and keep nothing in the cache of the browser.
 *
 * @param changeOf the answer; null leaves it as it is.
 */
async function changeAnswers(
  page: Page,
  origin: string,
  changeOf: (answered: Answered) => ((text: string) => string) | null,
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  // A screen that was left waits for no answer.
  const send: typeof session.send = (...call) => session.send(...call).catch(() => null as never)
  session.on('Fetch.requestPaused', async (paused) => {
    const { requestId, request, resourceType: type, responseStatusCode = 0, responseHeaders = [] } = paused
    const contentType = responseHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? ''
    const hasBody = responseStatusCode === 200 || responseStatusCode >= 400
    const change = hasBody ? changeOf({ type, url: request.url, contentType }) : null
    const answer = change && (await send('Fetch.getResponseBody', { requestId }))
    if (change === null || answer === null) return send('Fetch.continueRequest', { requestId })
    const text = Buffer.from(answer.body, answer.base64Encoded ? 'base64' : 'utf8').toString()
    const body = Buffer.from(change(text)).toString('base64')
    return send('Fetch.fulfillRequest', {
      requestId,
      responseCode: responseStatusCode,
      responseHeaders,
      body,
    })
  })
  const requestStage = 'Response'
  await session.send('Fetch.enable', {
    patterns: [
      { urlPattern: '*/v1/*', requestStage },
      { urlPattern: `${origin}/`, requestStage },
      { resourceType: 'Document', requestStage },
    ],
  })
}

/** A page whose dialogs, requests of other hosts and offences against its policy are faults. */
async function openWatched(browser: Browser, origin: string, faults: string[]): Promise<Page> {
  const page = await openLaptop(browser)
  page.on('dialog', (dialog) => faults.push(`${page.url()}: a dialog says ${dialog.message()}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`${page.url()} asks ${request.url()}`)
  })
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text()))
      faults.push(`${page.url()}: ${message.text()}`)
  })
  return page
}

/**
 * Opens the screens that show records whose texts are payloads, as the hub itself has them, and has another page frame them.
 *
 * @param texts of which each screen shows one, by path.
 */
export async function findRecordInjections(
  browser: Browser,
  origin: string,
  texts: Readonly<Record<string, string>>,
): Promise<string[]> {
  const faults: string[] = []
  const page = await openWatched(browser, origin, faults)
  for (const [path, text] of Object.entries(texts)) {
    await load(page, origin + path)
    await page.getByText(text).first().waitFor()
    await lookForInjections(page, faults)
  }
  await page.close()
  const stranger = await browser.newPage()
  const refused = stranger.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
  await stranger.setContent(`<iframe src="${origin}/me"></iframe>`)
  await refused
  if (stranger.frames().some((frame) => frame.url().startsWith(origin)))
    faults.push('The page can be framed.')
  await stranger.close()
  return faults
}

export async function lookForInjections(page: Page, faults: string[]): Promise<void> {
  const found = (await page.evaluate(`[
    window.ranHostile ? 'a script ran' : '',
    ...[...document.querySelectorAll('#app :is(script:not([src^="/_app/"]), iframe, object, embed, base, meta, link, style), [href^="javascript:" i], [action^="javascript:" i]')].map((one) => one.outerHTML.slice(0, 120)),
    ...[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => one.tagName + ' has ' + name)),
  ].filter(Boolean)`)) as string[]
  for (const one of found) faults.push(`${page.url()}: ${one}`)
}
