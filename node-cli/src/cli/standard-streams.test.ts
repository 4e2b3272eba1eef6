import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'

const streams = JSON.stringify(path.join(import.meta.dirname, 'standard-streams.ts'))
const bytes = 4 * 1024 * 1024

test('a slow reader of a non-blocking pipe gets everything, in order', async () => {
  // Node's stream tells the pipe not to wait; nobody reads before all is written.
  const program = `
    import { writeOutput, writeError } from ${streams}
    void process.stdout
    writeOutput('x'.repeat(${bytes}))
    writeOutput('end')
    writeError('written')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program])
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const [said] = await once(child.stderr, 'data')
  expect(String(said)).toBe('written')
  const output = await text(child.stdout)
  expect(output.length).toBe(bytes + 3)
  expect(output.endsWith('xend')).toBe(true)
  expect(await exited).toEqual([0, null])
})
