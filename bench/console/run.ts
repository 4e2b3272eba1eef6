/** Compares the console of a running local network with its budgets: `npm run -s bench -- console [seconds of the live page]`. */
import { openBrowser } from '../../scripts/browser.ts'
import { consoleScreens } from '../../scripts/console-screens.ts'
import { findListFaults } from '../../testing/console-lists.ts'
import { judgePage, lighthouseGoals, lighthouseHead, requireBrowser } from '../lighthouse.ts'
import { readCounts, table } from '../result.ts'
import { watchLivePage } from './live.ts'

const listRows = 10_000
const hub = process.env.HUB_URL ?? 'http://localhost:8787'
const { seconds } = readCounts('console', { seconds: 3_600 })
const executable = requireBrowser()
const rows: string[] = [lighthouseGoals]
const screens = await consoleScreens(hub)
const machines: number[] = []
for (const name of ['home', 'projects', 'project', 'round'] as const) {
  const { row, machine } = await judgePage(name, hub + screens[name], 3)
  rows.push(row)
  machines.push(machine)
}
console.log(table(lighthouseHead, rows))
console.log(`\nLighthouse's benchmark index of this machine: ${machines.join(', ')}.`)

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
  await page.reload()
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
