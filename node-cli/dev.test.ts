import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { filledAscHome } from '../testing/node/folders.ts'
import { dist } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { atEnd } from '../testing/node/shared.ts'
import { project } from './src/compiler/testing/project.ts'
import { readSamples } from './src/dev/samples.ts'

const env = { NODE_ASC_HOME: filledAscHome() }
const greeter = (word: string) => `
  import { fail } from "hub"
  import { mark } from "./parts/mark"
  export function greet(name: string): string {
    if (name == "nobody") fail("a name is missing")
    return "${word}, " + name + mark
  }
  export function wait(): string { while (true) {} return "" }`
const files = { 'm.ts': greeter('Hello'), 'parts/mark.ts': 'export const mark: string = "!"' }
const samples = [
  { function: 'greet', input: 'Ada', output: 'Hello, Ada!' },
  { function: 'greet', input: { of: 1 }, output: 'Hello, {"of":1}!' },
  { function: 'greet', input: 'nobody', error: 'aborted: a name is missing' },
]
const dev = (cwd: string, ...args: string[]) => nodectlHere(['dev', 'm.ts', ...args], { env, cwd })

test('runs the samples once, with the same gas and receipts every time, and keeps the artifact', async () => {
  const cwd = project({ ...files, 'm.samples.json': JSON.stringify(samples) })
  const { code, stdout, stderr } = await dev(cwd, '--once', '--json', '--out', 'm.hbc')
  expect([code, stderr]).toEqual([0, ''])
  const look = JSON.parse(stdout)
  expect(look).toMatchObject({
    ok: true,
    functions: ['greet', 'wait'],
    samples: [{ ok: true }, { ok: true }, { ok: true }],
  })
  expect((await dev(cwd, '--once', '--json')).stdout).toBe(stdout)
  const alone = await nodectlHere(['run', 'm.hbc', 'greet', '--input', 'Ada'], { cwd })
  const { gas_used, receipt } = JSON.parse(alone.stdout)
  expect(look.samples[0]).toMatchObject({ gas_used, receipt_hash: receipt.receipt.receipt_hash })
})

test('explains why a sample failed, and exits with 1', async () => {
  const wrong = [
    { function: 'greet', input: 'Ada', output: 'Hi, Ada!' },
    { function: 'wait', gas: 5_000 },
  ]
  const cwd = project({ ...files, 'other.json': JSON.stringify(wrong) })
  const { code, stdout } = await dev(cwd, '--once', '--samples', 'other.json', '--out', 'm.hbc')
  expect(code).toBe(1)
  expect(stdout).toMatch(/FAIL {2}greet\("Ada"\) = "Hello, Ada!" {2}\d+ gas\n +expected "Hi, Ada!"/)
  expect(stdout).toMatch(/FAIL {2}wait\(""\) = error: out of gas {2}5000 gas\n +It used all of its gas/)
  expect(stdout).toContain('2 of 2 samples failed.')
  expect(existsSync(path.join(cwd, 'm.hbc'))).toBe(true)
})

test('refuses a sample of a function that the module does not export', async () => {
  const cwd = project({ ...files, 'm.samples.json': '[{"function": "grete"}]' })
  const { code, stderr } = await dev(cwd, '--once')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("calls 'grete', which the module does not export"),
  ])
})

test.each([
  ['[]', 'must be a list of 1 to 1000 samples'],
  ['{', 'JSON'],
  [
    '[{"function": "greet"}, {"function": "greet", "color": "red"}]',
    'sample 2 does not have the form of a sample',
  ],
  ['[{"function": "greet", "output": "", "error": ""}]', 'sample 1 does not have the form of a sample'],
  ['[{"function": "greet", "input": {"at": 1.5}}]', 'the input of sample 1 is JSON that no hub takes. at: '],
  ['[{"function": "greet", "gas": 0}]', 'sample 1 does not have the form of a sample'],
])('refuses the samples %s', async (text, problem) => {
  const file = path.join(project({ 'samples.json': text }), 'samples.json')
  await expect(readSamples(file)).rejects.toThrow(problem)
})

test('gives an input that is no text to the module as a hub does: as canonical JSON', async () => {
  const text = '[{"function": "greet", "input": {"b": [1, true], "a": null}}]'
  const file = path.join(project({ 'samples.json': text }), 'samples.json')
  expect(await readSamples(file)).toMatchObject([{ input: '{"a":null,"b":[1,true]}' }])
})

test('compiles again when the module, its imports or its samples change, until it is interrupted', async () => {
  const cwd = project(files)
  const child = spawn('node', [path.join(dist, 'nodectl.mjs'), 'dev', 'm.ts', '--json'], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  atEnd(() => child.kill('SIGKILL'))
  const looks = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** A file that is written may be seen while it is empty. */
  const until = async (expected: object) => {
    for (;;) {
      const { value, done } = await looks.next()
      if (done) throw new Error(`nodectl ended before it printed ${JSON.stringify(expected)}`)
      const look = JSON.parse(value)
      if (expect.objectContaining(expected).asymmetricMatch(look)) return look
    }
  }
  const write = (name: string, text: string) => writeFileSync(path.join(cwd, name), text)
  const result = (output: string) => ({
    samples: expect.arrayContaining([expect.objectContaining({ function: 'greet', output })]),
  })
  await until(result('Hello, !'))
  write('m.ts', 'export function greet(: string')
  const { error } = await until({ ok: false, error: expect.objectContaining({ code: 'compile' }) })
  expect(error.hint).toContain('m.ts')
  write('m.ts', greeter('Hi'))
  await until(result('Hi, !'))
  write('parts/mark.ts', 'export const mark: string = "?"')
  await until(result('Hi, ?'))
  rmSync(path.join(cwd, 'parts'), { recursive: true })
  await until({ ok: false })
  mkdirSync(path.join(cwd, 'parts'))
  await until({ ok: false })
  write('parts/mark.ts', 'export const mark: string = "."')
  await until(result('Hi, .'))
  write('parts/mark.ts', 'export const mark: string = "?"')
  await until(result('Hi, ?'))
  write('m.samples.json', '[{"function": "greet", "input": "Bob"}]')
  await until(result('Hi, Bob?'))
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
})
