import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../testing/node/folders.ts'
import { wranglerOf } from './wrangler.ts'

test('a wrangler that ends before it reads its input fails with what it says', async () => {
  const folder = temporaryFolder()
  const program = path.join(folder, 'node_modules/wrangler/bin')
  mkdirSync(program, { recursive: true })
  writeFileSync(
    path.join(program, 'wrangler.js'),
    "console.error('this Node.js is too old')\nprocess.exit(1)\n",
  )
  process.chdir(folder)
  await expect(wranglerOf('account')(['secret', 'bulk'], ' '.repeat(1 << 20))).rejects.toThrow(
    'this Node.js is too old',
  )
})
