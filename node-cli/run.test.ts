import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import wabt from 'wabt'
import { packArtifact } from '../protocol/hbc/artifact.ts'
import {
  echoAddress,
  echoArtifact,
  echoManifest,
  hostileArtifacts,
} from '../protocol/hbc/testing/artifacts.ts'
import { buildNodectl, dist, filledAscHome, nodectl, temporaryFolder } from '../testing/node/nodectl.ts'
import { withDataDir } from './src/data-dir/lock.ts'

const tools = await wabt()
const folder = temporaryFolder()
const echo = path.join(folder, 'echo.hbc')
const counter = path.join(folder, 'counter.hbc')

beforeAll(async () => {
  await buildNodectl()
  writeFileSync(echo, echoArtifact().bytes)
  const { status, stderr } = compileExample('counter.ts', counter)
  if (status !== 0) throw new Error(stderr)
})

function compileExample(source: string, out: string) {
  const args = [path.join(dist, 'nodectl.mjs'), 'compile', `examples/${source}`, '--out', out]
  return spawnSync('node', args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_ASC_HOME: filledAscHome() },
  })
}

/** An artifact whose function calls one of another module and answers what that answered. */
function callerOf(address: string, functionName: string): Uint8Array {
  const text = `(module
    (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
    (memory (export "memory") 1) (data (i32.const 0) "${address}${functionName}")
    (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) (call $call (i32.const 0) (i32.const 66)
      (i32.const 66) (i32.const ${functionName.length}) (i32.const 0) (i32.const 0))))`
  const wasm = tools.parseWat('caller.wat', text, {}).toBinary({}).buffer
  return packArtifact({ ...echoManifest, name: 'caller', functions: ['call'] }, wasm).bytes
}

/** An artifact that answers a text, whatever it is asked. */
function answering(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const escaped = Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
  const wat = `(module (memory (export "memory") 1) (data (i32.const 0) "${escaped}")
    (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) (i64.const ${bytes.length})))`
  return packArtifact(echoManifest, tools.parseWat('answer.wat', wat, {}).toBinary({}).buffer).bytes
}

const input = '{"msg":"hi"}'
const answer = async (args: string[], options = {}) => {
  const { code, stdout, stderr } = await nodectl(['run', ...args], options)
  return { code, stderr, json: stdout === '' ? null : JSON.parse(stdout) }
}

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

  test('takes the input from a file or from standard input, not from two places', async () => {
    const file = path.join(folder, 'input.json')
    writeFileSync(file, input)
    expect((await answer([echo, 'echo', '--input-file', file])).json.gas_used).toBe(581)
    const piped = await answer([echo, 'echo', '--input-file', '-'], {
      input: new TextEncoder().encode(input),
    })
    expect(piped.json.output).toBe(input)
    // A pipe does not tell its size.
    const { stdout } = spawnSync(
      'sh',
      [
        '-c',
        'printf %s "$3" | node "$1" run "$2" echo --input-file /dev/stdin',
        'sh',
        path.join(dist, 'nodectl.mjs'),
        echo,
        input,
      ],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(stdout).output).toBe(input)
    expect(await answer([echo, 'echo', '--input', 'x', '--input-file', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--input and --input-file cannot be used together'),
    })
  })

  test.each([
    ['run', ['run', '-', 'echo', '--input-file', '-']],
    ['verify', ['verify', '-', '-']],
    ['verify', ['verify', '-', echo, '--input-file', '-']],
  ])('%s takes one thing at most from standard input', async (_, args) => {
    expect(await nodectl(args, { input: echoArtifact().bytes })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('standard input holds one thing only; name a file for the other'),
    })
  })

  test('a byte order mark is part of the output', async () => {
    const marked = '\uFEFF{"msg":"hi"}'
    const file = path.join(folder, 'marked.hbc')
    writeFileSync(file, answering(marked))
    expect((await answer([file, 'echo'])).json).toMatchObject({ success: true, output: marked })
  })

  test('a failed run prints the JSON all the same and exits 1', async () => {
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

  test.each([
    [
      'a function that is not exported',
      () => [echo, 'nope'],
      "Error: invalid request: function 'nope' is not exported by this module\nThe module exports: echo\n",
    ],
    [
      'gas 0',
      () => [echo, 'echo', '--gas', '0'],
      'Error: --gas must be a whole number from 1 to 10000000000, not 0\n',
    ],
    [
      'gas over the limit',
      () => [echo, 'echo', '--gas', '10000000001'],
      'Error: --gas must be a whole number from 1 to 10000000000, not 10000000001\n',
    ],
    [
      'an artifact that is not there',
      () => [path.join(folder, 'x.hbc'), 'echo'],
      `Error: ${path.join(folder, 'x.hbc')} cannot be read: there is no such file\n`,
    ],
    [
      'an input over 1 MiB',
      () => [echo, 'echo', '--input-file', bigFile()],
      /is larger than 1048576 bytes\n$/,
    ],
  ] as const)('refuses %s with exit 1', async (_, args, message) => {
    const { code, stderr, json } = await answer([...args()])
    expect([code, json]).toEqual([1, null])
    if (typeof message === 'string') expect(stderr).toBe(message)
    else expect(stderr).toMatch(message)
  })

  test.each(['abc', '1.5', '1e6', '0x10'])('gas that is no whole number is wrong usage: %s', async (gas) => {
    expect(await answer([echo, 'echo', '--gas', gas])).toMatchObject({
      code: 2,
      json: null,
      stderr: expect.stringContaining(`--gas must be a whole number from 1 to 10000000000, not ${gas}\n`),
    })
  })

  test('an empty input is an input', async () => {
    for (const args of [['--input', ''], ['--input=']])
      expect((await answer([counter, 'read', ...args])).json.output).toBe('0')
  })

  test('a module that breaks the ABI gives a failed receipt without gas', async () => {
    const file = path.join(folder, 'wasi.hbc')
    writeFileSync(file, hostileArtifacts.find(({ name }) => name === 'a WASI import')!.bytes)
    expect(await answer([file, 'echo'])).toMatchObject({
      code: 1,
      json: { success: false, gas_used: 0, error: expect.stringMatching(/^invalid module: /) },
    })
  })

  test('NODE_ENGINE: both engines give the same receipt, another word is wrong usage', async () => {
    for (const args of [
      [echo, 'echo', '--input', input],
      [echo, 'echo', '--gas', '500'],
      [counter, 'increment'],
    ]) {
      const receipts = []
      for (const NODE_ENGINE of ['native', 'pulley']) {
        const { json } = await answer(args, { env: { NODE_ENGINE } })
        receipts.push({ ...json, receipt: json.receipt.receipt.receipt_hash })
      }
      expect(receipts[0]).toEqual(receipts[1])
    }
    expect((await answer([echo, 'echo'], { env: { NODE_ENGINE: 'fast' } })).code).toBe(2)
  })
})

describe('a machine or a Node that lacks something', () => {
  /** Its host functions call each other through the guest until the stack limit of the guest ends that. */
  const nested = path.join(folder, 'nested.hbc')
  beforeAll(() => {
    const wat = `(module (import "crypto" "hash" (func $hash (param i32 i32) (result i64)))
      (memory (export "memory") 1)
      (func (export "__alloc") (param i32) (result i32)
        (drop (call $hash (i32.const 0) (i32.const 1))) (i32.const 1024))
      (func (export "__hive_entry") (param i32 i32 i32) (result i64) (call $hash (i32.const 0) (i32.const 1))))`
    const wasm = tools.parseWat('nested.wat', wat, {}).toBinary({}).buffer
    writeFileSync(nested, packArtifact(echoManifest, wasm).bytes)
  })

  test.each([984, 30_000, 200_000])('a --stack-size of %i kB crashes nothing', async (size) => {
    const args = [nested, 'echo', '--gas', '10000000']
    expect(await answer(args, { nodeFlags: [`--stack-size=${size}`] })).toMatchObject({
      code: 1,
      json: { error: 'stack limit exceeded' },
    })
  })

  test('where no thread can be started, that is a fault of the node', async () => {
    const args = [nested, 'echo', '--gas', '10000000']
    expect(await answer(args, { nodeFlags: ['--permission', '--allow-fs-read=*'] })).toEqual({
      code: 1,
      json: null,
      stderr: expect.stringMatching(
        /^Error: no thread can be started for the run: .*; there is no receipt\n$/,
      ),
    })
  })

  test.skipIf(process.arch !== 'x64')(
    'without SSE4.1 the message names no way out that needs it too',
    async () => {
      const vectors = path.join(folder, 'vectors.hbc')
      const wat = `(module (memory (export "memory") 1)
      (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
      (func (export "__hive_entry") (param i32 i32 i32) (result i64)
        (i64x2.extract_lane 0 (v128.const i64x2 0 0))))`
      const wasm = tools.parseWat('vectors.wat', wat, { simd: true }).toBinary({}).buffer
      writeFileSync(vectors, packArtifact(echoManifest, wasm).bytes)
      const nodeFlags = ['--no-enable-sse4-1']
      for (const NODE_ENGINE of ['', 'native', 'pulley'])
        expect(await answer([vectors, 'echo'], { env: { NODE_ENGINE }, nodeFlags })).toEqual({
          code: 1,
          json: null,
          stderr:
            'Error: this processor lacks the vector instructions that the module or the interpreter needs (on x86: SSE4.1); there is no receipt\n',
        })
      const native = { env: { NODE_ENGINE: 'native' } }
      expect((await answer([vectors, 'echo'], native)).code).toBe(0)
      expect((await answer([echo, 'echo', '--input', input], { ...native, nodeFlags })).json.gas_used).toBe(
        581,
      )
    },
  )
})

function bigFile(): string {
  const file = path.join(folder, 'big.txt')
  writeFileSync(file, 'x'.repeat(1_048_577))
  return file
}

describe('run --data-dir', () => {
  test('keeps state, key and ledger between runs; without it nothing is kept', async () => {
    const dir = path.join(temporaryFolder(), 'node')
    const outputs = []
    for (let run = 0; run < 3; run++)
      outputs.push((await answer([counter, 'increment', '--data-dir', dir])).json)
    expect(outputs.map(({ output }) => output)).toEqual(['1', '2', '3'])
    expect(new Set(outputs.map(({ receipt }) => receipt.node_id)).size).toBe(1)
    expect((await answer([counter, 'read'])).json.output).toBe('0')
    expect((await answer([counter, 'read', '--data-dir', dir])).json.output).toBe('3')

    const db = new DatabaseSync(path.join(dir, 'node.sqlite'), { readOnly: true })
    expect(db.prepare('SELECT count(*) AS runs FROM ledger').get()).toEqual({ runs: 4 })
    expect(db.prepare('SELECT sequence FROM sequences').all()).toEqual([{ sequence: 3 }])
    db.close()
  })

  test('a failed run changes no state, and is in the ledger', async () => {
    const dir = path.join(temporaryFolder(), 'node')
    await answer([counter, 'increment', '--data-dir', dir])
    const failed = await answer([counter, 'increment', '--input', '-5', '--data-dir', dir])
    expect(failed.json).toMatchObject({
      success: false,
      error: 'aborted: the step must be a positive integer',
    })
    expect((await answer([counter, 'read', '--data-dir', dir])).json.output).toBe('1')
  })

  test('a database that is none is refused in one line, and nothing is lost of the directory', async () => {
    const dir = path.join(temporaryFolder(), 'node')
    await answer([counter, 'increment', '--data-dir', dir])
    const file = path.join(dir, 'node.sqlite')
    writeFileSync(file, 'this was a database, once upon a time')
    expect(await answer([counter, 'increment', '--data-dir', dir])).toEqual({
      code: 1,
      json: null,
      stderr: `Error: ${file} cannot be used: file is not a database\n`,
    })
    expect(readFileSync(file, 'utf8')).toContain('once upon a time')
  })

  test.skipIf(process.platform === 'win32')(
    'a disk that takes no more is named as the reason, and nothing is half kept',
    async () => {
      const dir = path.join(temporaryFolder(), 'node')
      await answer([counter, 'increment', '--data-dir', dir])
      // No file of the process may grow beyond 64 KiB, which is what the log of the database needs.
      const limited = 'ulimit -f 64; exec node "$1" run "$2" echo --input-file "$3" --data-dir "$4"'
      const large = path.join(folder, 'large.json')
      writeFileSync(large, JSON.stringify({ text: 'x'.repeat(15_000) }))
      const big = path.join(folder, 'big.hbc')
      writeFileSync(big, answering('x'.repeat(60_000)))
      const { status, stdout, stderr } = spawnSync(
        'bash',
        ['-c', limited, 'bash', path.join(dist, 'nodectl.mjs'), big, large, dir],
        { encoding: 'utf8' },
      )
      expect([status, stdout, stderr]).toEqual([
        1,
        '',
        `Error: ${path.join(dir, 'node.sqlite')} cannot be used: disk I/O error\n`,
      ])
      expect((await answer([counter, 'increment', '--data-dir', dir])).json.output).toBe('2')
    },
  )

  test.each([
    ['another module', () => echoArtifact().bytes],
    ['bytes that are no artifact', () => new Uint8Array([1, 2, 3])],
  ])('%s in the place of a kept one is not run; running the artifact mends it', async (_, replacement) => {
    const dir = path.join(temporaryFolder(), 'node')
    const { json } = await answer([counter, 'read', '--data-dir', dir])
    const address: string = json.receipt.receipt.module_address
    const caller = path.join(folder, 'caller.hbc')
    writeFileSync(caller, callerOf(address, 'increment'))
    const call = () => answer([caller, 'call', '--data-dir', dir])
    expect((await call()).json.output).toBe('1')

    const db = new DatabaseSync(path.join(dir, 'node.sqlite'))
    db.prepare('UPDATE modules SET hbc = ? WHERE address = ?').run(replacement(), address)
    db.close()
    expect(await call()).toMatchObject({
      code: 1,
      json: null,
      stderr: expect.stringMatching(/the module 0x[0-9a-f]{64} in .* is damaged; .*there is no receipt\n$/),
    })
    expect((await answer([counter, 'read', '--data-dir', dir])).json.output).toBe('1')
    expect((await call()).json.output).toBe('2')
  })

  test('a module finds itself on its first run, whether anything is kept or not', async () => {
    const file = path.join(folder, 'calls.hbc')
    const { status, stderr } = compileExample('calls.ts', file)
    expect([status, stderr]).toEqual([0, ''])
    const { manifest_address } = JSON.parse((await nodectl(['inspect', file])).stdout)
    const dir = path.join(temporaryFolder(), 'node')
    const receipts = []
    for (const args of [[], ['--data-dir', dir], ['--data-dir', dir], []]) {
      const { json } = await answer([file, 'descend', '--input', manifest_address, ...args])
      receipts.push(json.receipt.receipt)
      expect(json.output).toBe('8')
    }
    expect(new Set(receipts.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('a directory in use is refused before anything runs', async () => {
    const dir = path.join(temporaryFolder(), 'node')
    const refused = await withDataDir(dir, () => answer([counter, 'increment', '--data-dir', dir]))
    expect(refused).toMatchObject({
      code: 1,
      json: null,
      stderr: expect.stringContaining(`in use by process ${process.pid}`),
    })
  })
})

describe('verify', () => {
  const runToFile = async (name: string, args: string[]) => {
    const { stdout } = await nodectl(['run', ...args])
    const file = path.join(folder, name)
    writeFileSync(file, stdout)
    return file
  }
  const verify = async (...args: string[]) => {
    const { code, stdout, stderr } = await nodectl(['verify', ...args])
    return { code, stderr, json: stdout === '' ? null : JSON.parse(stdout) }
  }

  test('a receipt holds for what was run, as the whole output or the envelope alone', async () => {
    const whole = await runToFile('whole.json', [echo, 'echo', '--input', input])
    expect(await verify(whole, echo, '--input', input)).toMatchObject({
      code: 0,
      json: { holds: true, problems: [] },
    })
    const alone = path.join(folder, 'alone.json')
    writeFileSync(alone, JSON.stringify(JSON.parse(readFileSync(whole, 'utf8')).receipt))
    expect((await verify(alone, echo, '--input', input)).code).toBe(0)
  })

  test('a receipt holds as the hub shows it: without events and error, which nobody signs', async () => {
    const file = await runToFile('shown.json', [echo, 'echo', '--input', input])
    const {
      events: _events,
      error: _error,
      ...receipt
    } = JSON.parse(readFileSync(file, 'utf8')).receipt.receipt
    const envelope = { ...JSON.parse(readFileSync(file, 'utf8')).receipt, receipt }
    const show = (of: object) =>
      writeFileSync(file, JSON.stringify({ kind: 'execution', receipt: of, rounds: [] }))
    show(envelope)
    expect(await verify(file, echo, '--input', input)).toMatchObject({
      code: 0,
      json: { holds: true, problems: [], receipt_hash: receipt.receipt_hash },
    })
    show({ ...envelope, receipt: { ...receipt, events_hash: receipt.input_hash } })
    expect((await verify(file, echo, '--input', input)).json.problems).toEqual([
      'receipt_hash is not the hash of the receipt',
      expect.stringMatching(/^events_hash is /),
    ])
  })

  test('a run out of gas holds under its own limit', async () => {
    const file = await runToFile('poor.json', [echo, 'echo', '--input', input, '--gas', '400'])
    expect((await verify(file, echo, '--input', input)).code).toBe(0)
    // The envelope alone does not tell the limit.
    const alone = path.join(folder, 'poor-alone.json')
    writeFileSync(alone, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')).receipt))
    expect((await verify(alone, echo, '--input', input)).code).toBe(0)
  })

  test('names everything that differs', async () => {
    const file = await runToFile('other.json', [echo, 'echo', '--input', input])
    expect(await verify(file, echo, '--input', '{"msg":"ho"}')).toMatchObject({
      code: 1,
      json: {
        holds: false,
        problems: [
          expect.stringMatching(/^input_hash/),
          expect.stringMatching(/^output_hash/),
          expect.stringMatching(/^events_hash/),
          expect.stringMatching(/^output beside the receipt/),
        ],
      },
    })
    expect((await verify(file, counter, '--input', input)).json.problems[0]).toContain('is about the module')

    const forged = JSON.parse(readFileSync(file, 'utf8'))
    forged.receipt.receipt.gas_used = 580
    const forgedFile = path.join(folder, 'forged.json')
    writeFileSync(forgedFile, JSON.stringify(forged))
    expect((await verify(forgedFile, echo, '--input', input)).json.problems).toEqual([
      'receipt_hash is not the hash of the receipt',
      'gas_used is 581 here, not 580',
    ])

    const failed = JSON.parse(
      readFileSync(await runToFile('failed.json', [echo, 'echo', '--input', input, '--gas', '5']), 'utf8'),
    )
    failed.receipt.receipt.error = 'aborted: by hand'
    writeFileSync(forgedFile, JSON.stringify(failed))
    expect((await verify(forgedFile, echo, '--input', input)).json.problems).toEqual([
      'error is "out of gas" here, not "aborted: by hand"',
    ])
  })

  test('says what it cannot read of a receipt of another form', async () => {
    const { receipt: envelope } = JSON.parse(
      readFileSync(await runToFile('form.json', [echo, 'echo', '--input', input]), 'utf8'),
    )
    const { receipt_hash, error: _, events, ...receipt } = envelope.receipt
    const file = path.join(folder, 'other-form.json')
    writeFileSync(file, JSON.stringify({ ...envelope, receipt, receipt_hash, events }))
    expect(await verify(file, echo, '--input', input)).toEqual({
      code: 1,
      json: null,
      stderr:
        `Error: ${file} holds no receipt of the form that nodectl 1.0.0 reads: receipt_hash: Unknown field; ` +
        'remove it. events: Unknown field; remove it. receipt.receipt_hash: This member is required.\n',
    })
    writeFileSync(
      file,
      JSON.stringify({ ...envelope, receipt: { ...envelope.receipt, v: 2, gas_used: '5' } }),
    )
    expect((await verify(file, echo)).stderr).toMatch(
      /reads: receipt\.v: Must be 1\. receipt\.gas_used: A whole number\.\n$/,
    )
  })

  test('what stands beside the receipt must be true as well', async () => {
    const honest = JSON.parse(
      readFileSync(await runToFile('honest.json', [echo, 'echo', '--input', input]), 'utf8'),
    )
    const file = path.join(folder, 'beside.json')
    const problemsOf = async (claim: object) => {
      writeFileSync(file, JSON.stringify(claim))
      return (await verify(file, echo, '--input', input)).json.problems
    }
    expect(await problemsOf({ ...honest, output: 'other' })).toEqual([
      `output beside the receipt is ${JSON.stringify(input)} here, not "other"`,
    ])
    expect(await problemsOf({ ...honest, error: 'out of gas' })).toEqual([
      'error beside the receipt is null here, not "out of gas"',
    ])
    const { receipt } = honest.receipt
    expect(await problemsOf({ ...honest.receipt, receipt: { ...receipt, note: 'paid', more: 1 } })).toEqual([
      'the receipt has members that nobody signed: note, more',
    ])
    expect(await problemsOf({ ...honest.receipt, receipt: { ...receipt, function: 'other' } })).toEqual([
      'receipt_hash is not the hash of the receipt',
      'the module does not export the function other',
    ])
  })

  test('a run on state that is not here differs, and it says why', async () => {
    const dir = path.join(temporaryFolder(), 'node')
    const first = await runToFile('first.json', [counter, 'increment', '--data-dir', dir])
    expect((await verify(first, counter)).code).toBe(0)
    const second = await runToFile('second.json', [counter, 'increment', '--data-dir', dir])
    const { code, json } = await verify(second, counter)
    expect([code, json.holds]).toEqual([1, false])
    expect(json.problems).toContain('output beside the receipt is "1" here, not "2"')
    expect(json.problems.at(-1)).toMatch(/uses storage or other modules/)
  })

  test('what is no JSON is one line that names the file', async () => {
    const text = new TextEncoder().encode('# Words\n')
    const file = path.join(folder, 'words.md')
    writeFileSync(file, text)
    const refused = (name: string) => `Error: ${name} holds no receipt: this is not a JSON document\n`
    expect(await nodectl(['verify', file, echo])).toEqual({ code: 1, stdout: '', stderr: refused(file) })
    const piped = await nodectl(['verify', '-', echo], { input: text })
    expect(piped.stderr).toBe(refused('standard input'))
  })

  test('what is no receipt is one line', async () => {
    const file = path.join(folder, 'none.json')
    writeFileSync(file, '{"a":1}')
    expect(await verify(file, echo)).toMatchObject({
      code: 1,
      json: null,
      stderr: `Error: ${file} holds no receipt; it must be what nodectl run prints, what a hub says of a receipt, or the receipt in it\n`,
    })
  })
})
