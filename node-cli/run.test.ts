import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { packArtifact } from '../protocol/hbc/artifact.ts'
import {
  echoAddress,
  echoArtifact,
  echoManifest,
  hostileArtifacts,
} from '../protocol/hbc/testing/artifacts.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { dist, nodectl } from '../testing/node/nodectl.ts'
import {
  answer,
  answerHere,
  answering,
  callerOf,
  compileExample,
  counter,
  echo,
  folder,
  input,
  prepareExamples,
} from '../testing/node/run-examples.ts'
import { withDataDir } from './src/data-dir/lock.ts'
import { assemble } from './src/engine/testing/guests.ts'

beforeAll(prepareExamples)

const freshDir = () => path.join(temporaryFolder(), 'node')
const write = (name: string, content: string | Uint8Array): string => {
  const file = path.join(folder, name)
  writeFileSync(file, content)
  return file
}
const artifact = (name: string, wat: string): string =>
  write(name, packArtifact(echoManifest, assemble(wat)).bytes)

const gasBounds = '--gas must be a whole number from 1 to 10000000000'

describe('run', () => {
  test('prints the output and a signed receipt', async () => {
    const { code, stderr, json } = await answer([echo, 'echo', '--input', input])
    expect([code, stderr]).toEqual([0, ''])
    expect(json).toEqual({
      success: true,
      output: input,
      error: null,
      gas_limit: 1_000_000,
      gas_used: 581,
      receipt: {
        receipt: {
          v: 1,
          module_address: echoAddress,
          function: 'echo',
          input_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          output_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          events_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          events: [{ name: 'echoed', data: { msg: 'hi' } }],
          gas_used: 581,
          success: true,
          error: null,
          receipt_hash: '0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6',
        },
        node_id: expect.stringMatching(/^node-[0-9a-f]{16}$/),
        public_key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        signature: expect.stringMatching(/^0x[0-9a-f]{128}$/),
        timestamp: expect.any(Number),
      },
    })
  })

  test('reads the input from a file or from standard input, but not from both', async () => {
    const file = write('input.json', input)
    expect((await answerHere([echo, 'echo', '--input-file', file])).json.gas_used).toBe(581)
    const piped = await answer([echo, 'echo', '--input-file', '-'], { input: Buffer.from(input) })
    expect(piped.json.output).toBe(input)
    // A pipe does not tell its size.
    const script = 'printf %s "$3" | node "$1" run "$2" echo --input-file /dev/stdin'
    const parameters = ['-c', script, 'sh', path.join(dist, 'nodectl.mjs'), echo, input]
    const { stdout } = spawnSync('sh', parameters, { encoding: 'utf8' })
    expect(JSON.parse(stdout).output).toBe(input)
    expect(await answerHere([echo, 'echo', '--input', 'x', '--input-file', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--input and --input-file cannot be used together'),
    })
  })

  test.each([
    ['run', ['run', '-', 'echo', '--input-file', '-']],
    ['verify', ['verify', '-', '-']],
    ['verify', ['verify', '-', echo, '--input-file', '-']],
  ])('%s reads at most one value from standard input', async (_, args) => {
    expect(await nodectl(args, { input: echoArtifact().bytes })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'only one of the inputs can come from standard input; name a file for the other',
      ),
    })
  })

  test('a byte order mark is part of the output', async () => {
    const marked = '\uFEFF{"msg":"hi"}'
    expect((await answerHere([write('marked.hbc', answering(marked)), 'echo'])).json).toMatchObject({
      success: true,
      output: marked,
    })
  })

  test('a failed run still prints the JSON, and exits with 1', async () => {
    const { code, json } = await answer([echo, 'echo', '--input', input, '--gas', '500'])
    expect(code).toBe(1)
    expect(json).toMatchObject({
      success: false,
      output: null,
      error: 'out of gas',
      gas_limit: 500,
      gas_used: 500,
    })
    expect(json.receipt.receipt).toMatchObject({ success: false, error: 'out of gas', events: [] })
  })

  test.each<[string, () => string[], string]>([
    [
      'a function that is not exported',
      () => [echo, 'nope'],
      "invalid request: function 'nope' is not exported by this module\nThe module exports: echo\n",
    ],
    ['gas 0', () => [echo, 'echo', '--gas', '0'], `${gasBounds}, not 0\n`],
    ['gas over the limit', () => [echo, 'echo', '--gas', '10000000001'], `${gasBounds}, not 10000000001\n`],
    [
      'a missing artifact',
      () => [path.join(folder, 'x.hbc'), 'echo'],
      `${path.join(folder, 'x.hbc')} cannot be read: there is no such file\n`,
    ],
    [
      'an input over 1 MiB',
      () => [echo, 'echo', '--input-file', write('big.txt', 'x'.repeat(1_048_577))],
      `${path.join(folder, 'big.txt')} is larger than 1048576 bytes\n`,
    ],
  ])('refuses %s with exit 1', async (_, args, message) => {
    expect(await answerHere(args())).toEqual({ code: 1, json: null, stderr: `Error: ${message}` })
  })

  test.each(['abc', '1.5', '1e6', '0x10'])(
    'gas that is not a whole number is wrong usage: %s',
    async (gas) => {
      expect(await answerHere([echo, 'echo', '--gas', gas])).toMatchObject({
        code: 2,
        json: null,
        stderr: expect.stringContaining(`${gasBounds}, not ${gas}\n`),
      })
    },
  )

  test('an empty input is a valid input', async () => {
    for (const args of [['--input', ''], ['--input=']])
      expect((await answerHere([counter, 'read', ...args])).json.output).toBe('0')
  })

  test('a module that breaks the ABI gives a failed receipt without gas', async () => {
    const file = write('wasi.hbc', hostileArtifacts.find(({ name }) => name === 'a WASI import')!.bytes)
    expect(await answerHere([file, 'echo'])).toMatchObject({
      code: 1,
      json: { success: false, gas_used: 0, error: expect.stringMatching(/^invalid module: /) },
    })
  })

  test('NODE_ENGINE: both engines give the same receipt, any other value is wrong usage', async () => {
    for (const args of [
      [echo, 'echo', '--input', input],
      [echo, 'echo', '--gas', '500'],
      [counter, 'increment'],
    ]) {
      const receipts = []
      for (const NODE_ENGINE of ['native', 'pulley']) {
        const { json } = await answerHere(args, { env: { NODE_ENGINE } })
        receipts.push({ ...json, receipt: json.receipt.receipt.receipt_hash })
      }
      expect(receipts[0]).toEqual(receipts[1])
    }
    expect((await answerHere([echo, 'echo'], { env: { NODE_ENGINE: 'fast' } })).code).toBe(2)
  })
})

describe('a machine or a Node with restrictions', () => {
  /** Its host functions call each other through the guest until the stack limit of the guest ends that. */
  const nested = artifact(
    'nested.hbc',
    `(module (import "crypto" "hash" (func $hash (param i32 i32) (result i64)))
      (memory (export "memory") 1)
      (func (export "__alloc") (param i32) (result i32)
        (drop (call $hash (i32.const 0) (i32.const 1))) (i32.const 1024))
      (func (export "__hive_entry") (param i32 i32 i32) (result i64) (call $hash (i32.const 0) (i32.const 1))))`,
  )
  const args = [nested, 'echo', '--gas', '10000000']

  test.each([984, 30_000, 200_000])('a --stack-size of %i kB does not crash nodectl', async (size) => {
    expect(await answer(args, { nodeFlags: [`--stack-size=${size}`] })).toMatchObject({
      code: 1,
      json: { error: 'stack limit exceeded' },
    })
  })

  test('a thread that cannot be started is a fault of the node', async () => {
    expect(await answer(args, { nodeFlags: ['--permission', '--allow-fs-read=*'] })).toEqual({
      code: 1,
      json: null,
      stderr: expect.stringMatching(
        /^Error: no thread can be started for the run: .*; there is no receipt\n$/,
      ),
    })
  })

  test.skipIf(process.arch !== 'x64')(
    'without SSE4.1, the message suggests no workaround that needs it too',
    async () => {
      const vectors = artifact(
        'vectors.hbc',
        `(module (memory (export "memory") 1)
          (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
          (func (export "__hive_entry") (param i32 i32 i32) (result i64)
            (i64x2.extract_lane 0 (v128.const i64x2 0 0))))`,
      )
      const nodeFlags = ['--no-enable-sse4-1']
      for (const NODE_ENGINE of ['', 'native', 'pulley'])
        expect(await answer([vectors, 'echo'], { env: { NODE_ENGINE }, nodeFlags })).toEqual({
          code: 1,
          json: null,
          stderr:
            'Error: this processor lacks the vector instructions that the module or the interpreter needs (on x86: SSE4.1); there is no receipt\n',
        })
      const native = { env: { NODE_ENGINE: 'native' } }
      expect((await answerHere([vectors, 'echo'], native)).code).toBe(0)
      expect((await answer([echo, 'echo', '--input', input], { ...native, nodeFlags })).json.gas_used).toBe(
        581,
      )
    },
  )
})

describe('run --data-dir', () => {
  test('keeps state, key and ledger between runs; without it nothing is kept', async () => {
    const dir = freshDir()
    const outputs = []
    for (const run of [answerHere, answer, answerHere])
      outputs.push((await run([counter, 'increment', '--data-dir', dir])).json)
    expect(outputs.map(({ output }) => output)).toEqual(['1', '2', '3'])
    expect(new Set(outputs.map(({ receipt }) => receipt.node_id)).size).toBe(1)
    expect((await answerHere([counter, 'read'])).json.output).toBe('0')
    expect((await answerHere([counter, 'read', '--data-dir', dir])).json.output).toBe('3')

    const db = new DatabaseSync(path.join(dir, 'node.sqlite'), { readOnly: true })
    expect(db.prepare('SELECT count(*) AS runs FROM ledger').get()).toEqual({ runs: 4 })
    expect(db.prepare('SELECT sequence FROM sequences').all()).toEqual([{ sequence: 3 }])
    db.close()
  })

  test('a failed run changes no state, and is in the ledger', async () => {
    const dir = freshDir()
    await answerHere([counter, 'increment', '--data-dir', dir])
    const failed = await answerHere([counter, 'increment', '--input', '-5', '--data-dir', dir])
    expect(failed.json).toMatchObject({
      success: false,
      error: 'aborted: the step must be a positive integer',
    })
    expect((await answerHere([counter, 'read', '--data-dir', dir])).json.output).toBe('1')
  })

  test('a file that is not a database is refused in one line, and stays as it is', async () => {
    const dir = freshDir()
    await answerHere([counter, 'increment', '--data-dir', dir])
    const file = path.join(dir, 'node.sqlite')
    writeFileSync(file, 'this was a database, once upon a time')
    expect(await answerHere([counter, 'increment', '--data-dir', dir])).toEqual({
      code: 1,
      json: null,
      stderr: `Error: ${file} cannot be used: file is not a database\n`,
    })
    expect(readFileSync(file, 'utf8')).toContain('once upon a time')
  })

  test.skipIf(process.platform === 'win32')(
    'a full disk is named as the reason, and nothing is stored in part',
    async () => {
      const dir = freshDir()
      await answerHere([counter, 'increment', '--data-dir', dir])
      // No file of the process may grow beyond 64 KiB, which is what the log of the database needs.
      const limited = 'ulimit -f 64; exec node "$1" run "$2" echo --input-file "$3" --data-dir "$4"'
      const large = write('large.json', JSON.stringify({ text: 'x'.repeat(15_000) }))
      const big = write('big.hbc', answering('x'.repeat(60_000)))
      const parameters = ['-c', limited, 'bash', path.join(dist, 'nodectl.mjs'), big, large, dir]
      const { status, stdout, stderr } = spawnSync('bash', parameters, { encoding: 'utf8' })
      expect([status, stdout, stderr]).toEqual([
        1,
        '',
        `Error: ${path.join(dir, 'node.sqlite')} cannot be used: disk I/O error\n`,
      ])
      expect((await answerHere([counter, 'increment', '--data-dir', dir])).json.output).toBe('2')
    },
  )

  test.each([
    ['another module', () => echoArtifact().bytes],
    ['bytes that are not an artifact', () => new Uint8Array([1, 2, 3])],
  ])(
    '%s in the place of a stored one is not run; running the artifact repairs it',
    async (_, replacement) => {
      const dir = freshDir()
      const { json } = await answerHere([counter, 'read', '--data-dir', dir])
      const address: string = json.receipt.receipt.module_address
      const caller = write('caller.hbc', callerOf(address, 'increment'))
      const call = () => answerHere([caller, 'call', '--data-dir', dir])
      expect((await call()).json.output).toBe('1')

      const db = new DatabaseSync(path.join(dir, 'node.sqlite'))
      db.prepare('UPDATE modules SET hbc = ? WHERE address = ?').run(replacement(), address)
      db.close()
      expect(await call()).toMatchObject({
        code: 1,
        json: null,
        stderr: expect.stringMatching(/the module 0x[0-9a-f]{64} in .* is damaged; .*there is no receipt\n$/),
      })
      expect((await answerHere([counter, 'read', '--data-dir', dir])).json.output).toBe('1')
      expect((await call()).json.output).toBe('2')
    },
  )

  test('a module finds itself on its first run, with and without a data directory', async () => {
    const file = path.join(folder, 'calls.hbc')
    const { manifestAddress } = await compileExample('calls.ts', file)
    const dir = freshDir()
    const receipts = []
    for (const args of [[], ['--data-dir', dir], ['--data-dir', dir], []]) {
      const { json } = await answerHere([file, 'descend', '--input', manifestAddress, ...args])
      receipts.push(json.receipt.receipt)
      expect(json.output).toBe('8')
    }
    expect(new Set(receipts.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('a directory in use is refused before anything runs', async () => {
    const dir = freshDir()
    const refused = await withDataDir(dir, () => answer([counter, 'increment', '--data-dir', dir]))
    expect(refused).toMatchObject({
      code: 1,
      json: null,
      stderr: expect.stringContaining(`in use by process ${process.pid}`),
    })
  })
})
