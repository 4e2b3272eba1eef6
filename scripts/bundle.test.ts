import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bundleInto } from './bundle.ts'

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
