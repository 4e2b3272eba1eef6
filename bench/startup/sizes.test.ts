import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildHub } from '../../scripts/bundle.ts'
import { type Sizes, sizesOf } from './sizes.ts'

let folder: string
let sizes: Sizes
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hub-sizes-'))
  sizes = sizesOf(await buildHub(folder))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the hub without its image library is at most 520 kB, compressed', () => {
  expect(sizes.whole.gzipBytes).toBeLessThanOrEqual(520_000)
})

test('before the first request at most 194 kB are loaded, compressed', () => {
  expect(sizes.start.gzipBytes).toBeLessThanOrEqual(194_000)
})

const earlyFiles = (pattern: RegExp) => [...sizes.startInputs.keys()].filter((file) => pattern.test(file))

test('before the first request no route is loaded, no image library, and no whole ABI', () => {
  expect(earlyFiles(/workers\/routes\/.+\/|workers\/images|photon|generated\/contracts/)).toEqual([])
})

test('before the first object of theirs is made neither relayer nor indexer is loaded', () => {
  expect(earlyFiles(/durable-objects\/(relayer|indexer)\/(object|reconciler|step)\.ts$/)).toEqual([])
})
