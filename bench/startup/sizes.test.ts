import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildHub } from '../../localnet/bundle.ts'
import { type Sizes, sizesOf } from './sizes.ts'

let folder: string
let sizes: Sizes
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hub-sizes-'))
  sizes = sizesOf(await buildHub(folder))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the hub without its image library is at most 330 kB, compressed', () => {
  expect(sizes.whole.gzipBytes).toBeLessThanOrEqual(330_000)
})

test('before the first request at most 195 kB are loaded, compressed', () => {
  expect(sizes.start.gzipBytes).toBeLessThanOrEqual(195_000)
})

test('before the first request no route is loaded, no image library, and no whole ABI', () => {
  const early = [...sizes.startInputs.keys()].filter((file) =>
    /workers\/routes\/.+\/|workers\/images|photon|generated\/contracts/.test(file),
  )
  expect(early).toEqual([])
})
