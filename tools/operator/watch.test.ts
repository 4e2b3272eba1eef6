import { expect, test } from 'vitest'
import { watch } from './watch.ts'

const answers = [
  { status: 'ok', time: 1, chain: { lag_secs: 1, halted: null }, late: [] },
  { status: 'ok', time: 6, chain: { lag_secs: 1, halted: null }, late: [] },
  new Error('the hub does not answer'),
  {
    status: 'degraded',
    time: 16,
    chain: { lag_secs: 200, halted: 'a log is missing' },
    late: [{ what: 'set_not_built' }],
  },
]

async function shown(options: { isTerminal: boolean; json: boolean }): Promise<string[]> {
  const rest = [...answers]
  const written: string[] = []
  await watch({
    read: async () => {
      const next = rest.shift()
      if (next instanceof Error) throw next
      return next
    },
    wait: async () => rest.length > 0,
    write: (text) => written.push(text),
    time: () => new Date(0),
    ...options,
  })
  return written
}

test('a terminal shows each status in the place of the previous one', async () => {
  const looks = await shown({ isTerminal: true, json: false })
  expect(looks).toHaveLength(4)
  expect(looks.every((look) => look.startsWith('\x1b[H\x1b[2J00:00:00 UTC'))).toBe(true)
  expect(looks[2]).toContain('problem  the hub does not answer')
  expect(looks[3]).toMatch(
    /chain\.lag_secs +200\nchain\.halted +a log is missing\n\nlate\nwhat\nset_not_built/,
  )
})

test('a file gets each different status, including that of a hub that does not answer', async () => {
  expect(await shown({ isTerminal: false, json: false })).toHaveLength(3)
  const lines = await shown({ isTerminal: false, json: true })
  expect(lines.map((line) => JSON.parse(line).status)).toEqual(['ok', 'away', 'degraded'])
})
