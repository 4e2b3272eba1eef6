import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import wabt from 'wabt'

const { parseWat } = await wabt()
const leave = JSON.stringify(path.join(import.meta.dirname, 'leave.ts'))
const leaving = `
  import { leaveAtOnce } from ${leave}
  console.log('answer')
  console.error('error')
  leaveAtOnce(3)`

/** Runs a program to its end. @returns Its exit code, and the text on both outputs. */
async function run(file: string, parameters: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(file, parameters, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [[code], said, failed] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return [code, said, failed]
}

const runNode = (program: string, options: string[] = [], env?: NodeJS.ProcessEnv) =>
  run(process.execPath, [...options, '--input-type=module', '--eval', program], env)

describe.skipIf(process.platform === 'win32' || process.execve === undefined)('leaving at once', () => {
  test('waits for no thread, not even one that V8 cannot end', async () => {
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
      import { leaveAtOnce } from ${leave}
      const thread = new Worker(${JSON.stringify(thread)}, { eval: true, execArgv: [] })
      thread.once('message', () => {
        console.log('answer')
        console.error('error')
        leaveAtOnce(3)
      })`
    expect(await runNode(program)).toEqual([3, 'answer\n', 'error\n'])
  })

  test('loads the modules of NODE_OPTIONS only once', async () => {
    const preloaded = 'data:text/javascript,console.log(`preloaded`)'
    expect(await runNode(leaving, [], { NODE_OPTIONS: `--import=${preloaded}` })).toEqual([
      3,
      'preloaded\nanswer\n',
      'error\n',
    ])
  })

  test('is an ordinary exit if Node may not start another program', async () => {
    expect(await runNode(leaving, ['--permission', '--allow-fs-read=*'])).toEqual([3, 'answer\n', 'error\n'])
  })

  test('is an ordinary exit when Node was removed meanwhile', async () => {
    const program = leaving.replace('console.log', "process.execPath = '/nowhere/node'; console.log")
    expect(await runNode(program)).toEqual([3, 'answer\n', 'error\n'])
  })

  test.runIf(process.platform === 'linux')(
    'leaves the flags of pipes unchanged for the next program',
    async () => {
      const shown = 'grep flags /proc/self/fdinfo/1; grep flags /proc/self/fdinfo/2 >&2'
      const [, before, beforeOfErrors] = await run('sh', ['-c', shown])
      expect(
        await run('sh', ['-c', `"$0" --input-type=module --eval "$1"; ${shown}`, process.execPath, leaving]),
      ).toEqual([0, `answer\n${before}`, `error\n${beforeOfErrors}`])
    },
  )
})
