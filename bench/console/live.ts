import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'

export interface LiveResult {
  readonly seconds: number
  readonly rounds: number
  /** Longest task of the main thread. */
  readonly longestMs: number
  readonly longTasks: number
  /** After a collection, in the order of time. */
  readonly heapMb: readonly number[]
}

const perMinute = 1_000
const pageRounds = 25
const samples = 6

type Round = Record<string, unknown>

/**
 * Looks at the list of rounds while a thousand rounds a minute end: a proxy of the hub says so in the stream of events and in
 * the list, with copies of a real round. Everything else the hub itself answers.
 */
export async function watchLivePage(browser: Browser, hub: string, seconds: number): Promise<LiveResult> {
  const list = await fetch(`${hub}/v1/explorer/rounds?kind=task&limit=1`)
  const [template] = ((await list.json()) as { items: Round[] }).items
  if (template === undefined) throw new Error('The hub has no round yet.')
  const began = Date.now()
  const count = () => Math.floor(((Date.now() - began) * perMinute) / 60_000)
  const roundOf = (index: number): Round => ({
    ...template,
    round_id: `task:0x${index.toString(16).padStart(64, '0')}`,
    created_at: Math.floor((began + (index * 60_000) / perMinute) / 1_000),
    finalized_at: Math.floor((began + (index * 60_000) / perMinute) / 1_000) + 3,
  })

  const streams = new Set<ServerResponse>()
  let told = 0
  const timer = setInterval(() => {
    for (; told < count(); told++) {
      const { round_id, project_id, created_at } = roundOf(told)
      const event = {
        id: `${told}-0`,
        type: 'round.finalized',
        created_at,
        project_id,
        round_id,
        data: { success: true },
      }
      for (const stream of streams) stream.write(`id: ${told}\ndata: ${JSON.stringify(event)}\n\n`)
    }
  }, 50)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', hub)
    if (pathname === '/v1/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      streams.add(response)
      response.on('close', () => streams.delete(response))
      return
    }
    if (pathname === '/v1/explorer/rounds') {
      const newest = count()
      const items = Array.from({ length: pageRounds }, (_, index) => roundOf(newest - index))
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ items, next_cursor: 'more' }))
      return
    }
    const { accept = '*/*' } = request.headers
    const passed = await fetch(hub + request.url, { headers: { accept } })
    const headers = Object.fromEntries(
      [...passed.headers].filter(
        ([name]) => !/^(content-(encoding|length)|transfer-encoding|connection)$/.test(name),
      ),
    )
    response.writeHead(passed.status, headers)
    response.end(Buffer.from(await passed.arrayBuffer()))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const page = await browser.newPage()
  try {
    await page.goto(`${origin}/rounds`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate(`window.longTasks = []
      window.observer = new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longTasks.push(duration) })
      window.observer.observe({ type: 'longtask' })`)
    const session = await page.context().newCDPSession(page)
    const heapMb: number[] = []
    for (let sample = 0; sample < samples; sample++) {
      await page.waitForTimeout((seconds * 1_000) / samples)
      // A collection that only this program requests does not count as a task of the page.
      await page.evaluate('window.observer.disconnect()')
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      await page.evaluate("window.observer.observe({ type: 'longtask' })")
      heapMb.push(Math.round(usedSize / 100_000) / 10)
    }
    const tasks = (await page.evaluate('window.longTasks')) as number[]
    return { seconds, rounds: count(), longestMs: Math.max(0, ...tasks), longTasks: tasks.length, heapMb }
  } finally {
    await page.close()
    clearInterval(timer)
    server.closeAllConnections()
    server.close()
  }
}
