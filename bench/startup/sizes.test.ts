import { expect, test } from 'vitest'
import { builtContents } from '../../scripts/bundle.ts'
import { sizesOf } from './sizes.ts'

const sizes = sizesOf(await builtContents())

test('the hub without its image library is at most 520 kB, compressed', () => {
  expect(sizes.whole.gzipBytes).toBeLessThanOrEqual(520_000)
})

test('the hub loads at most 194 kB, compressed, before the first request', () => {
  expect(sizes.start.gzipBytes).toBeLessThanOrEqual(194_000)
})

const earlyFiles = (pattern: RegExp) => [...sizes.startInputs.keys()].filter((file) => pattern.test(file))

test('the hub loads no route, no image library and no complete ABI before the first request', () => {
  expect(earlyFiles(/workers\/routes\/.+\/|workers\/images|photon|generated\/(contracts|functions)/)).toEqual(
    [],
  )
})

test('the hub does not load the code of relayer and indexer before their first object is created', () => {
  expect(earlyFiles(/durable-objects\/(relayer|indexer)\/(object|reconciler|step)\.ts$/)).toEqual([])
})
