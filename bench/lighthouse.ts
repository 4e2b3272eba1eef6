import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { browserPath } from '../scripts/browser.ts'

const lighthouse = 'lighthouse@12.8.2'

interface Report {
  readonly environment: { readonly benchmarkIndex: number }
  readonly categories: Readonly<Record<string, { readonly score: number }>>
  readonly audits: Readonly<
    Record<string, { readonly title: string; readonly numericValue?: number; readonly score: number | null }>
  >
}

export const lighthouseHead =
  '| Page | Performance | Accessibility | Best practices | Largest paint | Shift | Blocked |'
export const lighthouseGoals = '| goal | ≥ 95 | 100 | 100 | ≤ 1.8 s | ≤ 0.02 | ≤ 100 ms |'

/** The browser that measures; without one the program ends. */
export function requireBrowser(): string {
  const executable = browserPath()
  if (executable !== undefined) return executable
  console.error('Error: no chromium on this machine; install it or name one in CHROMIUM.')
  process.exit(1)
}

/** What Lighthouse says of a page on a phone: a row of the table, and the audits that it fails. */
export async function judgePage(name: string, url: string, runs = 1) {
  const reports: Report[] = []
  for (let run = 0; run < runs; run++) reports.push(await report(url))
  const score = ({ categories }: Report, category: string): number => categories[category]?.score ?? 0
  const middle = reports.toSorted((a, b) => score(a, 'performance') - score(b, 'performance'))[runs >> 1]!
  const hundred = (category: string) => String(Math.round(100 * score(middle, category)))
  const value = (audit: string) => middle.audits[audit]?.numericValue ?? Number.NaN
  const measured = [
    ...[hundred('performance'), hundred('accessibility'), hundred('best-practices')],
    `${(value('largest-contentful-paint') / 1_000).toFixed(1)} s`,
    value('cumulative-layout-shift').toFixed(3),
    `${Math.round(value('total-blocking-time'))} ms`,
  ]
  const failed = Object.values(middle.audits).flatMap(({ title, score }) =>
    score !== null && score < 0.9 ? [title] : [],
  )
  return {
    row: `| \`${name}\` | ${measured.join(' | ')} |`,
    failed,
    /** How fast Lighthouse found this machine; it counts all work of the page four times. */
    machine: Math.round(middle.environment.benchmarkIndex),
  }
}

async function report(url: string): Promise<Report> {
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
    { env: { ...process.env, CHROME_PATH: requireBrowser() }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`Lighthouse ended with ${code}.`)
  const found = JSON.parse(readFileSync(file, 'utf8')) as Report
  rmSync(folder, { recursive: true })
  return found
}
