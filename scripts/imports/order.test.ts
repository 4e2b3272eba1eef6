import { describe, expect, test } from 'vitest'
import { type ImportGraph, importsOf, readImportGraph } from './graph.ts'
import { findImportFaults } from './order.ts'
import { rooms } from './rooms.ts'

/** The graph of one import. */
const importing = (file: string, target: string): ImportGraph =>
  new Map([
    [file, [target]],
    [target, []],
  ])

describe('findImportFaults', () => {
  test.each([
    ['protocol/encoding/hex.ts', 'protocol/rounds/index.ts'],
    ['protocol/manifest/listing-rules.ts', 'protocol/actions/index.ts'],
    ['protocol/identity/siwe.ts', 'workers/errors.ts'],
    ['durable-objects/relayer/object.ts', 'workers/env.ts'],
    ['workers/stores/projects.ts', 'workers/routes/projects/view.ts'],
    ['workers/stores/projects.ts', 'workers/services.ts'],
    ['workers/http/answer.ts', 'workers/routes/index.ts'],
    ['workers/http/answer.ts', 'workers/services.ts'],
    ['workers/routes/projects/get.ts', 'localnet/network.ts'],
    ['workers/app.test.ts', 'node-cli/src/main.ts'],
    ['node-cli/src/main.ts', 'workers/errors.ts'],
  ])('refuses %s importing %s', (file, target) => {
    expect(findImportFaults(importing(file, target), rooms)).toEqual([
      expect.stringContaining(`${file} imports ${target}`),
    ])
  })

  test.each([
    ['protocol/rounds/tally.ts', 'protocol/manifest/index.ts'],
    ['protocol/encoding/hex.test.ts', 'protocol/earnings/index.ts'],
    ['durable-objects/relayer/object.ts', 'durable-objects/clock.ts'],
    ['workers/routes/projects/get.ts', 'workers/stores/projects.ts'],
    ['node-cli/src/main.ts', 'protocol/hbc/artifact.ts'],
  ])('accepts %s importing %s', (file, target) => {
    expect(findImportFaults(importing(file, target), rooms)).toEqual([])
  })

  test('refuses imports that bypass the index of a room', () => {
    const graph = importing('workers/app.ts', 'protocol/encoding/hex.ts')
    expect(findImportFaults(graph, rooms)).toEqual([
      expect.stringContaining('import the index.ts of its room'),
    ])
  })

  test('the imports of the repository follow the order', () => {
    expect(findImportFaults(readImportGraph(), rooms)).toEqual([])
  })
})

test('importsOf: finds every form of import, including types', () => {
  const text =
    "import type { A } from './a.ts'\nimport {\n  b,\n} from '../b.ts'\nexport * from './c.ts'\nimport './d.ts?raw'\n"
  expect(importsOf('x/y.ts', text)).toEqual(['x/a.ts', 'b.ts', 'x/c.ts', 'x/d.ts'])
})
