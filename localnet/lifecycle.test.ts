import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../testing/node/folders.ts'
import { runTool } from '../testing/run-tool.ts'

/** Runs a process that ends its parts. @param parts statements about `lifecycle`. */
function run(parts: string) {
  const script = path.join(temporaryFolder(), 'parts.mjs')
  writeFileSync(
    script,
    `import { Lifecycle } from '${path.resolve('localnet/lifecycle.ts')}'
    const lifecycle = new Lifecycle(20)
    ${parts}
    await lifecycle.stop(0)`,
  )
  return runTool(script, [])
}

test('parts end in the reverse of their order, and a failure of one is told', async () => {
  const ended = await run(`
    lifecycle.onStop(() => console.log('first'))
    lifecycle.onStop(() => { throw new Error('broken') })
    lifecycle.onStop(() => console.log('last'))`)
  expect([ended.code, ended.stdout]).toEqual([0, 'last\nfirst\n'])
  expect(ended.stderr).toMatch(/^Some parts did not stop cleanly: Error: broken/)
})

test('a part that does not end is told, and the others end', async () => {
  const ended = await run(`
    lifecycle.onStop(() => console.log('first'))
    lifecycle.onStop(() => new Promise(() => setInterval(() => {}, 1_000)))`)
  expect(ended).toEqual({
    code: 0,
    stdout: 'first\n',
    stderr: 'Some parts did not stop cleanly: one of them did not end within 0.02 s.\n',
  })
})
