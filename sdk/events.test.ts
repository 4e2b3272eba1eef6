import { expect, onTestFinished, test, vi } from 'vitest'
import { createHub, InvalidField } from './index.ts'
import { collectGarbage } from './testing/collect-garbage.ts'
import { cutBefore, json, type Reply, refusal, scriptedHub } from './testing/scripted-hub.ts'

const event = (id: string, type = 'round.finalized') => ({ id, type, created_at: 1 })
const message = (id: string, cursor: string) => `id: ${cursor}\ndata: ${JSON.stringify(event(id))}\n\n`

/** A stream that sends these chunks and ends, or breaks off. */
const stream =
  (chunks: string[], end: 'ends' | 'breaks' | 'stays' = 'ends'): Reply =>
  (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
    if (end === 'ends') response.end()
    if (end === 'breaks') response.write(': \n', () => setImmediate(() => response.destroy()))
  }
const page = (events: object[], next_cursor: string, archived_before: number | null = null) =>
  json(200, { items: events, next_cursor, archived_before })

/** Follows until `count` events came. */
async function take(url: string, count: number, options: object = {}) {
  const taken: string[] = []
  const controller = new AbortController()
  const hub = createHub({ url, retry: { pause: 1, attempts: 1 } })
  for await (const { id, cursor } of hub.events.follow({ signal: controller.signal, ...options })) {
    taken.push(`${id}@${cursor}`)
    if (taken.length === count) controller.abort()
  }
  return taken
}
const asked = (server: Awaited<ReturnType<typeof scriptedHub>>) =>
  server.calls.map(
    ({ url, headers }) =>
      `${headers.accept === 'text/event-stream' ? 'stream' : 'poll'} ${url.slice('/v1/events'.length)}`,
  )

test('a stream continues after it ends, breaks off, or is refused for a while', async () => {
  const half = message('3', 'c3').slice(0, 10)
  await using server = await scriptedHub(
    stream([
      'retry: 2\n\n',
      message('1', 'c1'),
      `: \nid: c2\n\n${message('2', 'c2b').slice(0, 9)}`,
      message('2', 'c2b').slice(9),
    ]),
    stream([half], 'breaks'),
    refusal(503, 'unavailable', { 'Retry-After': '0' }),
    refusal(429, 'rate_limited', { 'Retry-After': '0' }),
    stream([message('3', 'c3'), message('4', 'c4')], 'stays'),
  )
  expect(await take(server.url, 4)).toEqual(['1@c1', '2@c2b', '3@c3', '4@c4'])
  expect(asked(server)).toEqual(['stream ', ...Array(4).fill('stream ?after=c2b')])
})

test('a feed that cannot be streamed is polled with the same cursor', async () => {
  await using server = await scriptedHub(
    ...Array(2).fill(page([], 'c0')),
    page([event('1'), event('2')], 'c2'),
    (response) => response.destroy(),
    page([], 'c3', 7),
    page([event('4')], 'c4'),
  )
  const gaps: number[] = []
  const onGap = (before: number) => gaps.push(before)
  expect(await take(server.url, 3, { from: 'c', onGap })).toEqual(['1@c', '2@c2', '4@c4'])
  expect(asked(server)).toEqual([
    ...Array(2).fill('stream ?after=c'),
    'poll ?after=c&wait=25',
    ...Array(2).fill('poll ?after=c2&wait=25'),
    'poll ?after=c3&wait=25',
  ])
  expect(gaps).toEqual([7])
})

test('after empty streams the client changes to polling', async () => {
  await using server = await scriptedHub(stream([]), stream([]), page([event('1')], 'c1'))
  expect(await take(server.url, 1)).toEqual(['1@c1'])
})

test.each<[string, Reply]>([
  ['answers 504', (response) => response.writeHead(504).end('too late')],
  ['breaks the connection', (response) => response.destroy()],
])('behind a gateway that waits for the end of a stream and then %s, it polls', async (_, giveUp) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const gateway: Reply = (response, call) => {
    vi.setSystemTime(Date.now() + 29_000)
    giveUp(response, call)
  }
  await using server = await scriptedHub(gateway, gateway, page([event('1')], 'c1'))
  expect(await take(server.url, 1)).toEqual(['1@c1'])
  expect(asked(server)).toEqual(['stream ', 'stream ', 'poll ?wait=25'])
})

test('the client keeps to streams while no hub answers', async () => {
  await using server = await scriptedHub(...Array(3).fill(cutBefore), stream([message('1', 'c1')]))
  expect(await take(server.url, 1)).toEqual(['1@c1'])
  expect(asked(server)).toEqual(Array(4).fill('stream '))
})

test('the client tries a stream again after a number of polls', async () => {
  const events = Array.from({ length: 20 }, (_, i) => page([event(`p${i}`)], `c${i}`))
  await using server = await scriptedHub(
    ...Array(2).fill(stream([': nothing\n\n', 'id: c\n\n'])),
    ...events,
    stream([message('s', 'd')], 'stays'),
  )
  expect((await take(server.url, 21)).at(-1)).toBe('s@d')
  expect(asked(server).at(-1)).toBe('stream ?after=c19')
})

test('an empty cursor counts as no cursor', async () => {
  await using server = await scriptedHub(...Array(2).fill(stream([])), page([event('1'), event('2')], 'c2'))
  expect(await take(server.url, 2, { from: '' })).toEqual(['1@', '2@c2'])
  expect(asked(server)).toEqual(['stream ', 'stream ', 'poll ?wait=25'])
})

test('a hub that asks for a pause of a year is called again after five minutes', async () => {
  const seconds = String(365 * 86_400)
  await using server = await scriptedHub(refusal(503, 'unavailable', { 'Retry-After': seconds }))
  const controller = new AbortController()
  const waits: (number | undefined)[] = []
  const { setTimeout } = globalThis
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms?: number) => {
    waits.push(ms)
    if (ms === 300_000) queueMicrotask(() => controller.abort())
    return setTimeout(done, ms)
  }) as never)
  try {
    const hub = createHub({ url: server.url })
    for await (const _ of hub.events.follow({ signal: controller.signal })) break
  } finally {
    timer.mockRestore()
  }
  expect(waits).toContain(300_000)
})

test('a signal ends an idle stream, even after garbage collection', async () => {
  await using server = await scriptedHub(stream([message('1', 'c1')], 'stays'))
  const ending = new AbortController()
  const seen: string[] = []
  const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>()
  const following = (async () => {
    for await (const { id } of createHub({ url: server.url }).events.follow({ signal: ending.signal })) {
      seen.push(id)
      begun()
    }
  })()
  await hasBegun
  await collectGarbage()
  ending.abort()
  await following
  expect(seen).toEqual(['1'])
})

test('an error of a callback is thrown to the caller, without another try', async () => {
  const archived = 'event: archived\ndata: {"archived_before":5}\n\n'
  await using server = await scriptedHub(stream([archived]))
  const onGap = () => {
    throw new TypeError('mine')
  }
  await expect(take(server.url, 1, { onGap })).rejects.toThrow(new TypeError('mine'))
  expect(server.calls).toHaveLength(1)
})

test('the hub filters one type, the client filters several, and a gap is reported', async () => {
  const archived = 'event: archived\ndata: {"archived_before":5}\n\n'
  const other = `id: o\ndata: ${JSON.stringify(event('o', 'round.escalated'))}\n\n`
  await using server = await scriptedHub(stream([archived, other, message('1', 'c1')], 'stays'))
  const gaps: number[] = []
  const types = ['round.finalized', 'epoch.settled']
  expect(await take(server.url, 1, { types, onGap: (before: number) => gaps.push(before) })).toEqual(['1@c1'])
  expect(await take(server.url, 1, { types: ['round.finalized'], project_id: 'p' })).toEqual(['1@c1'])
  expect(asked(server)).toEqual(['stream ', 'stream ?project_id=p&type=round.finalized'])
  expect(gaps).toEqual([5])
})

test('an error that another try cannot fix is thrown', async () => {
  await using server = await scriptedHub(refusal(400, 'invalid_field'))
  await expect(take(server.url, 1)).rejects.toThrow(InvalidField)
})
