import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { browserPath } from '../scripts/browser.ts'

const lighthouse = 'lighthouse@12.8.2'
/** Now and then the recorder of the browser begins after the page has, and Lighthouse says so. */
const triesMore = 3

interface Report {
  readonly environment: { readonly benchmarkIndex: number }
  readonly categories: Readonly<Record<string, { readonly score: number }>>
  readonly audits: Readonly<
    Record<string, { readonly title: string; readonly numericValue?: number; readonly score: number | null }>
  >
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  /** Microseconds of the processor. */
  readonly tdur?: number
  readonly args?: {
    readonly data?: { readonly isOutermostMainFrame?: boolean; readonly documentLoaderURL?: string }
  }
}

interface Judgement {
  readonly report: Report
  readonly ownBlockedMs: number
}

export const lighthouseHead =
  '| Page | Performance | Accessibility | Best practices | Largest paint | Shift | Blocked | By its own work |'
export const lighthouseGoals = '| goal | ≥ 95 | 100 | 100 | ≤ 1.8 s | ≤ 0.02 | ≤ 100 ms | ≤ 100 ms |'

/** The browser that measures; without one the program ends. */
export function requireBrowser(): string {
  const executable = browserPath()
  if (executable !== undefined) return executable
  console.error('Error: no chromium on this machine; install it or name one in CHROMIUM.')
  process.exit(1)
}

/** Has Lighthouse judge a page on a phone. @returns A row of the table, and the audits that the page fails. */
export async function judgePage(name: string, url: string, runs = 1) {
  const judgements: Judgement[] = []
  for (let tries = 0; judgements.length < runs; tries++) {
    if (tries === runs + triesMore) throw new Error(`Lighthouse could not record ${url}.`)
    const judgement = await judge(url)
    if (judgement !== undefined) judgements.push(judgement)
  }
  const score = ({ categories }: Report, category: string): number => categories[category]?.score ?? 0
  const { report, ownBlockedMs } = judgements.toSorted(
    (a, b) => score(a.report, 'performance') - score(b.report, 'performance'),
  )[runs >> 1]!
  const hundred = (category: string) => String(Math.round(100 * score(report, category)))
  const value = (audit: string) => report.audits[audit]?.numericValue ?? Number.NaN
  const measured = [
    ...[hundred('performance'), hundred('accessibility'), hundred('best-practices')],
    `${(value('largest-contentful-paint') / 1_000).toFixed(1)} s`,
    value('cumulative-layout-shift').toFixed(3),
    `${Math.round(value('total-blocking-time'))} ms`,
    `${Math.round(ownBlockedMs)} ms`,
  ]
  const failed = Object.values(report.audits).flatMap(({ title, score }) =>
    score !== null && score < 0.9 ? [title] : [],
  )
  return {
    row: `| \`${name}\` | ${measured.join(' | ')} |`,
    failed,
    /** How fast Lighthouse found this machine; it counts all work of the page four times. */
    machine: Math.round(report.environment.benchmarkIndex),
  }
}

async function judge(url: string): Promise<Judgement | undefined> {
  const folder = mkdtempSync(path.join(tmpdir(), 'lighthouse-'))
  const file = path.join(folder, 'report.json')
  const child = spawn(
    'npx',
    [
      ...['--yes', lighthouse, url, '--quiet', '--save-assets', '--output=json', `--output-path=${file}`],
      ...[
        '--only-categories=performance,accessibility,best-practices',
        '--chrome-flags=--headless --no-sandbox',
      ],
    ],
    { env: { ...process.env, CHROME_PATH: requireBrowser() }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const [code] = await once(child, 'exit')
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
  try {
    if (code !== 0) return undefined
    const { traceEvents } = read('report-0.trace.json') as { traceEvents: TraceEvent[] }
    return { report: read('report.json') as Report, ownBlockedMs: ownBlockedMs(traceEvents) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Milliseconds that tasks after the first paint block the page of a phone, counted by the processor's time. Lighthouse counts
 * the time that passes, in which a task also waits for a core that the browser, its recorder and the network here use.
 */
function ownBlockedMs(events: readonly TraceEvent[]): number {
  const slowdown = 4
  const blockingMs = 50
  const began = events.findLast(
    ({ name, args }) =>
      name === 'navigationStart' &&
      args?.data?.isOutermostMainFrame &&
      args.data.documentLoaderURL?.startsWith('http'),
  )
  const painted = events.find(
    ({ name, pid, ts }) => began && name === 'firstContentfulPaint' && pid === began.pid && ts > began.ts,
  )
  if (!began || !painted) throw new Error('The recording of Lighthouse has no first paint.')
  return events
    .filter(({ name, ph, pid, tid, ts }) => {
      return name === 'RunTask' && ph === 'X' && pid === began.pid && tid === began.tid && ts > painted.ts
    })
    .reduce((sum, { tdur = 0 }) => sum + Math.max(0, (slowdown * tdur) / 1_000 - blockingMs), 0)
}
