import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { builtContents, bundleInto } from './bundle.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'bundle-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the error of a failed bundle names file, line and reason', async () => {
  const entry = path.join(folder, 'index.ts')
  writeFileSync(entry, "import { a } from './absent.ts'\nexport const b = (\n")
  await expect(bundleInto(folder, [entry])).rejects.toMatchObject({
    name: 'CommandError',
    message: expect.stringMatching(
      /^The hub cannot be bundled:\n {2}\S+index\.ts:3:1: Unexpected end of file$/,
    ),
  })
})

test('the hub imports no module that the runtime lacks', async () => {
  const { outputs } = await builtContents()
  const external = Object.values(outputs).flatMap(({ imports }) => imports.filter((one) => one.external))
  const missing = external.filter(({ path }) => !/^(cloudflare|node|workerd):|^\.\/photon\.wasm$/.test(path))
  expect(missing).toEqual([])
})

test('the hub has no module that none of its modules imports', async () => {
  const { outputs } = await builtContents()
  const modules = Object.keys(outputs).filter((file) => file.endsWith('.js'))
  const imported = new Set(Object.values(outputs).flatMap(({ imports }) => imports.map((one) => one.path)))
  const orphans = modules.filter((file) => !imported.has(file) && path.basename(file) !== 'index.js')
  expect(orphans).toEqual([])
})
