import { describe, expect, test } from 'vitest'
import { createLog } from './log.ts'

function logTo(format: 'json' | 'pretty', level: 'error' | 'warn' | 'info' | 'debug') {
  const lines: string[] = []
  return { lines, log: createLog(format, level, (line) => lines.push(line)) }
}

describe('the log', () => {
  test('is one JSON object in a line, with the members that all lines of a round share', () => {
    const { lines, log } = logTo('json', 'info')
    const ofRound = log.with({ round_id: 'exec:0x12' })
    ofRound.info('executed', { gas_used: 7, success: true })
    ofRound.with({ module: '0x34' }).warn('two\nlines')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: 'info',
        message: 'executed',
        round_id: 'exec:0x12',
        gas_used: 7,
        success: true,
      },
      expect.objectContaining({
        level: 'warn',
        message: 'two\nlines',
        round_id: 'exec:0x12',
        module: '0x34',
      }),
    ])
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
  })

  test('for people shows control characters instead of sending them to the terminal', () => {
    const { lines, log } = logTo('pretty', 'info')
    log.error('a\u001b[2Jb', { reason: 'x\ny\u202e', none: undefined })
    expect(lines).toEqual([expect.stringMatching(/Z ERROR a\\u001b\[2Jb reason=x\\u000ay\\u202e\n$/)])
  })

  test.each([
    ['error', 1],
    ['warn', 2],
    ['info', 3],
    ['debug', 4],
  ] as const)('at level %s has the lines of that level and above', (level, count) => {
    const { lines, log } = logTo('json', level)
    for (const each of ['error', 'warn', 'info', 'debug'] as const) log[each](each)
    expect(lines).toHaveLength(count)
  })

  test('cuts long values, and keeps the last ten errors', () => {
    const { lines, log } = logTo('json', 'info')
    log.info('x'.repeat(5000), { line: 'y'.repeat(5000) })
    expect(lines[0]!.length).toBeLessThan(2200)
    for (let i = 0; i < 12; i++) log.error(`error ${i}`)
    expect(log.lastErrors().map(({ message }) => message)).toEqual(
      Array.from({ length: 10 }, (_, i) => `error ${11 - i}`),
    )
  })
})
