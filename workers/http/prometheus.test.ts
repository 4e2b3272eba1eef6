import { expect, test } from 'vitest'
import { gauge, prometheusText } from './prometheus.ts'

test('a gauge has a HELP line, a TYPE line, and a line for each known sample', () => {
  const text = prometheusText([
    gauge('hub_ok', 'Whether it is well.', 1),
    {
      name: 'hub_part_ok',
      help: 'By part.',
      samples: [
        [{ part: 'a "b"\\c\n', of: 'x' }, 0.5],
        [{ part: 'd' }, null],
      ],
    },
    gauge('hub_unknown', 'Nobody knows.', undefined),
    gauge('hub_age', 'Since never.', Number.POSITIVE_INFINITY),
  ])
  expect(text).toBe(
    `# HELP hub_ok Whether it is well.
# TYPE hub_ok gauge
hub_ok 1
# HELP hub_part_ok By part.
# TYPE hub_part_ok gauge
hub_part_ok{part="a \\"b\\"\\\\c\\n",of="x"} 0.5
# HELP hub_age Since never.
# TYPE hub_age gauge
hub_age +Inf
`,
  )
})
