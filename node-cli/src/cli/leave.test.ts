import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import wabt from 'wabt'

const { parseWat } = await wabt()

test.skipIf(process.platform === 'win32' || process.execve === undefined)(
  'a thread that V8 cannot end holds nobody',
  async ({ onTestFinished }) => {
    const endless = parseWat(
      'endless.wat',
      '(module (memory 1024) (func $start (loop $l (memory.fill (i32.const 0) (i32.const 0) (i32.const 67108864)) (br $l))) (start $start))',
      { bulk_memory: true },
    ).toBinary({}).buffer
    const thread = `
      require('node:worker_threads').parentPort.postMessage('begun')
      new WebAssembly.Instance(new WebAssembly.Module(Buffer.from('${Buffer.from(endless).toString('base64')}', 'base64')))`
    const program = `
      import { Worker } from 'node:worker_threads'
      import { leaveAtOnce } from ${JSON.stringify(path.join(import.meta.dirname, 'leave.ts'))}
      const thread = new Worker(${JSON.stringify(thread)}, { eval: true, execArgv: [] })
      thread.once('message', () => {
        console.log('answer')
        console.error('error')
        leaveAtOnce(3)
      })`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [[code], said, failed] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
    ])
    expect([code, said, failed]).toEqual([3, 'answer\n', 'error\n'])
  },
)
