/** Holds the console of a local network that runs against its budgets: `npm run -s bench -- console [seconds of the live page]`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { browserPath, openBrowser } from '../../scripts/browser.ts'
import { consoleScreens } from '../../scripts/console-screens.ts'
import { findListFaults } from '../../testing/console-lists.ts'
import { readCounts, table } from '../result.ts'
import { watchLivePage } from './live.ts'

const lighthouse = 'lighthouse@12.8.2'
const listRows = 10_000
const hub = process.env.HUB_URL ?? 'http://localhost:8787'
const { seconds } = readCounts('console', { seconds: 3_600 })
const executable = browserPath()
if (executable === undefined) {
  console.error('Error: no chromium on this machine; install it or name one in CHROMIUM.')
  process.exit(1)
}

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number }>>
  readonly audits: Readonly<Record<string, { readonly numericValue?: number; readonly score: number | null }>>
}

/** What Lighthouse says of a page on a phone. */
async function judge(url: string): Promise<Report> {
  const folder = mkdtempSync(path.join(tmpdir(), 'lighthouse-'))
  const file = path.join(folder, 'report.json')
  const child = spawn(
    'npx',
    [
      ...['--yes', lighthouse, url, '--quiet', '--output=json', `--output-path=${file}`],
      ...[
        '--only-categories=performance,accessibility,best-practices',
        '--chrome-flags=--headless --no-sandbox',
      ],
    ],
    { env: { ...process.env, CHROME_PATH: executable }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`Lighthouse ended with ${code}.`)
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  rmSync(folder, { recursive: true })
  return report
}

const goals = ['≥ 95', '100', '100', '≤ 1.8 s', '≤ 0.02', '≤ 100 ms']
const rows: string[] = [`| goal | ${goals.join(' | ')} |`]
const screens = await consoleScreens(hub)
for (const name of ['home', 'projects', 'project', 'round'] as const) {
  const { categories, audits } = await judge(hub + screens[name])
  const score = (category: string) => String(Math.round(100 * (categories[category]?.score ?? 0)))
  const value = (audit: string) => audits[audit]?.numericValue ?? Number.NaN
  const measured = [
    ...[score('performance'), score('accessibility'), score('best-practices')],
    `${(value('largest-contentful-paint') / 1_000).toFixed(1)} s`,
    value('cumulative-layout-shift').toFixed(3),
    `${Math.round(value('total-blocking-time'))} ms`,
  ]
  rows.push(`| \`${name}\` | ${measured.join(' | ')} |`)
}
console.log(
  table('| Screen | Performance | Accessibility | Best practices | Largest paint | Shift | Blocked |', rows),
)

const browser = await openBrowser(executable)
try {
  const { calls, withoutEtag } = await firstView()
  console.log(`\nThe first view makes ${calls} calls of the API, ${withoutEtag} of them without an ETag.`)
  const live = await watchLivePage(browser, hub, seconds)
  console.log(
    `The live page, ${live.rounds} rounds in ${live.seconds} s: longest task ${live.longestMs} ms, ${live.longTasks} above 50 ms; heap ${live.heapMb.join(', ')} MB.`,
  )
  console.log(await longList())
} finally {
  await browser.close()
}

async function longList(): Promise<string> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const session = await page.context().newCDPSession(page)
  const began = Date.now()
  const faults = await findListFaults(page, hub, listRows)
  const seconds = ((Date.now() - began) / 1_000).toFixed(1)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await page.close()
  return `A list of ${listRows} rows, to its end, to another screen from its middle, and back, in ${seconds} s: ${faults.join('; ') || 'at the same place'}; heap ${(usedSize / 1_000_000).toFixed(1)} MB.`
}

async function firstView(): Promise<{ calls: number; withoutEtag: number }> {
  const page = await browser.newPage()
  let [calls, withoutEtag] = [0, 0]
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    const isStream = response.headers()['content-type']?.startsWith('text/event-stream')
    const isCall =
      pathname.startsWith('/v1/') || (pathname === '/' && response.request().resourceType() === 'fetch')
    if (!isCall || isStream) return
    calls++
    if (response.headers().etag === undefined) withoutEtag++
  })
  await page.goto(hub)
  await page.getByRole('row').nth(1).waitFor()
  await page.close()
  return { calls, withoutEtag }
}
