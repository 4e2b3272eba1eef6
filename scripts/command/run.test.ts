import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

test('a command ends without an error message when its reader closes the pipe', async () => {
  const program = `
    import { setImmediate } from 'node:timers/promises'
    import { runCommand } from ${JSON.stringify(path.join(import.meta.dirname, 'run.ts'))}
    await runCommand(async () => {
      for (let line = 1; ; line += 1) {
        console.log(line)
        await setImmediate()
      }
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program])
  const said = text(child.stderr)
  const closed = once(child, 'close')
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect([await closed, await said]).toEqual([[0, null], ''])
})
