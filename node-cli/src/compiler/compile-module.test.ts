import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { parseArtifact } from '../../../protocol/hbc/artifact.ts'
import { filledAscHome } from '../../../testing/node/folders.ts'
import { compileModule } from './compile-module.ts'
import { project } from './testing/project.ts'

vi.stubEnv('NODE_ASC_HOME', filledAscHome())

const compile = (folder: string, file = 'm.ts') =>
  compileModule({ source: path.join(folder, file), name: 'm' })

/** The error of a source that is refused. */
const refused = (message: string, output: unknown = undefined) => ({
  name: 'CliError',
  message: expect.stringContaining(message),
  ...(output !== undefined && { output }),
})

const partial = {
  'part.ts': 'export function part(): string { return "part" }\n',
  'm.ts': `import { part } from "./part"
export function main(): string { if (part() == "") throw new Error("why"); return part() }
`,
}

describe('the address', async () => {
  const { manifestAddress } = await compile(project(partial))

  test.each([
    `it's "quoted".ts`,
    'back\\slash.ts',
    'new\nline.ts',
    '`backtick`.ts',
    '__nodectl_entry.ts',
    '.ts',
    'ünï.d.ts',
  ])('is the same for a source called %j', async (name) => {
    const folder = project({ 'part.ts': partial['part.ts'], [name]: partial['m.ts'] })
    expect((await compile(folder, name)).manifestAddress).toBe(manifestAddress)
  })

  test.each([
    '{bad',
    '{"options":{"initialMemory":16}}',
    '{"options":{"importMemory":true}}',
    '{"options":{"transform":["./evil.mjs"]}}',
    '{"entries":["other.ts"],"extends":"./more.json"}',
  ])('is the same beside and below an asconfig.json of %s', async (settings) => {
    const evil = 'throw new Error("code of an asconfig.json was run")'
    const beside = { ...partial, 'asconfig.json': settings, 'evil.mjs': evil }
    const folder = project({
      ...beside,
      ...Object.fromEntries(Object.entries(beside).map(([name, text]) => [`deep/${name}`, text])),
    })
    expect((await compile(folder)).manifestAddress).toBe(manifestAddress)
    expect((await compile(path.join(folder, 'deep'))).manifestAddress).toBe(manifestAddress)
  })
})

const form = '(input: string): string { return input }'

describe('the functions', () => {
  test('are those declared, listed, renamed and re-exported; the rest is for other modules', async () => {
    const folder = project({
      'm.ts': `import { inner as kept, limit } from "./lib/a"
import * as whole from "./lib/a"
export function own${form}
function listed${form}
export { listed, listed as renamed, kept, whole, limit }
export { inner as z, default as main } from "./lib/a"
export * from "./lib/b"
export const size: i32 = 5, text = "five", copy = limit, nan = NaN
export class Box {}
export enum Colour { Red }
export type Handler = (input: string) => string
export interface Shape {}
export namespace Space { export function hidden(): void {} }
`,
      'lib/a.ts': `export function inner(): string { return "inner" }
export const limit = 1
export default function named${form}
`,
      'lib/b/index.ts': `export * from "../a"
export function own(): void {}
export function passed(input: string): void {}
export { inner as again } from "../../m"
export { inner } from "../a"
export { listed as circled } from "../../m"
`,
    })
    const { functions } = await compile(folder)
    expect(functions.join(' ')).toBe('again circled inner kept listed main own passed renamed z')
  })

  test('may have every allowed form, and are sorted; storage makes the module stateful', async () => {
    const source = `import { storage, emit, call, tryCall, hash, log, fail } from "hub"
export function zeta(input: string): string { return hash(input) }
export function alpha(): string { return call("0x", "f", "") }
export function read(input: string): void { if (input.length > 3) fail("long"); log(input); emit("e", "{}") }
export function nothing(): void { storage.set("k", "v"); storage.remove(storage.get("k")!) }
export const constant = 5
function inner(a: i32): i32 { return a + tryCall("0x", "f", "").code }
`
    const { functions, bytes } = await compile(project({ 'm.ts': source }))
    expect(functions).toEqual(['alpha', 'nothing', 'read', 'zeta'])
    expect(parseArtifact(bytes).guest.stateless).toBe(false)
  })

  const list = 'export { f }'
  test.each([
    ['export const b = (input: string): string => input', 'm.ts:1: b is a variable that holds a function'],
    [
      `\nexport let b = (function${form})`,
      'm.ts:2: b is a variable that holds a function; write: export function b',
    ],
    [`function a${form}\nexport const b = a`, 'm.ts:2: b is a variable that holds a function'],
    [`type F = (a: string) => string\nfunction a${form}\nexport const b: F = a`, 'm.ts:3: b is a variable'],
    [
      `export default function f${form}`,
      'm.ts:1: a default export has no name to call it by; write: export function f(',
    ],
    [`function f${form}\nexport default f`, 'm.ts:1: a default export has no name'],
    ['import { emit } from "hub"\nexport { emit }', 'm.ts:1: emit comes from "hub", a package or library'],
    ['export { x } from "pack"', 'm.ts:1: x comes from "pack"'],
    ['export * from "hub"', 'm.ts:1: export * from "hub" passes on a package or library'],
    [list, 'm.ts:1: f is exported, but declared nowhere'],
    ['export { f } from "./gone"', 'm.ts:1: there is no module "./gone"'],
    ['export { f } from "./lib"', 'it exports no f'],
    ['export { add } from "./lib"', 'lib.ts:2: the exported function add takes 2 parameters'],
    ['export { n as f } from "./lib"', 'm.ts exports no function; export one like'],
    ['export import z = String', 'm.ts:1: export import is not supported; write: export { NAME as z }'],
    ['import { a } from "./m"\nexport { a }', 'it exports no a'],
    ['export const a = b, b = a', 'm.ts exports no function'],
    ['export function f(a: string | null): string { return "" }', 'takes no string'],
    ['export function f(a: i32): string { return "" }', 'm.ts:1: the exported function f takes no string'],
    [
      '\nexport function f(a: string, b: string): void {}',
      'm.ts:2: the exported function f takes 2 parameters',
    ],
    ['export function f(): i32 { return 1 }', 'gives no string'],
    ['export function f<T>(a: string): string { return a }', 'is generic'],
    ['export const a = 1', 'm.ts exports no function; export one like'],
    [
      'export function f(): string { return Math.random().toString() }',
      'Guests have no clock, randomness or console',
    ],
    ['import { x } from "./x"\nexport function f(): string { return x() }', 'm.ts does not compile'],
    [`export function f${form}\nexport { f as größe }`, 'the name größe does not fit'],
  ])('refuse %j with the place and what to write', async (source, message) => {
    const folder = project({
      'm.ts': source,
      'lib.ts': 'export const n = 1\nexport function add(a: i32, b: i32): i32 { return a + b }\n',
    })
    await expect(compile(folder)).rejects.toMatchObject(refused(message))
  })
})

describe('functions that are defined', () => {
  test('are sorted by name, also those of other modules; functions that are only exported are not listed', async () => {
    const folder = project({
      'm.ts': `import { hive, storage } from "hivekit"
import { suffix } from "./lib"
function zeta(input: string): string { return input + suffix }
hive.define("zeta", zeta)
hive.define('alpha', (input: string): string => storage.get(input))
export function helper(a: i32): i32 { return a }
`,
      'lib.ts': `export const suffix = "!"
hive.define("middle", (input: string): string => hive.hash(input))
`,
    })
    expect((await compile(folder)).functions).toEqual(['alpha', 'middle', 'zeta'])
  })

  test('a name hive that the source declares is its own', async () => {
    const own = `export class hive { static define(name: string, value: i32): void {} }\n`
    const use = `hive.define("x", 1)\nexport function main${form}\n`
    for (const files of [
      { 'm.ts': own + use },
      { 'm.ts': `import { hive } from "./own"\n${use}`, 'own.ts': own },
    ])
      expect((await compile(project(files))).functions).toEqual(['main'])
  })

  test.each([
    ['hive.define(NAME, f)', 'm.ts:2: the name in hive.define must be a string literal'],
    ['hive.define(`f`, f)', 'm.ts:2: the name in hive.define must be a string literal'],
    ['hive.define("a b", f)', 'm.ts:2: the name a b does not fit'],
    ['hive.define("f", f)\nhive.define("f", f)', 'm.ts:3: f is defined twice, the first time at m.ts:2'],
    ['hive.define("f", (a: i32): i32 => a)', 'm.ts does not compile'],
    ['hive.define("f", f); emit("e", "{}")', 'm.ts does not compile'],
  ])('%s is refused with the place', async (statement, message) => {
    const folder = project({ 'm.ts': `function f${form}\n${statement}\n` })
    await expect(compile(folder)).rejects.toMatchObject(refused(message))
  })
})

test('messages name the file of the user', async () => {
  const folder = project({ "it's\nme.ts": 'export function f(): string {\n  return missing()\n}\n' })
  await expect(compile(folder, "it's\nme.ts")).rejects.toMatchObject({
    message: "it's\\u000ame.ts does not compile",
    output: expect.stringMatching(/└─ in it's\\u000ame\.ts\(2,10\)/),
  })
})

test('a syntax error is shown with its place', async () => {
  const folder = project({ 'm.ts': 'export function f(): string { return' })
  const output = expect.stringContaining('m.ts(1,')
  await expect(compile(folder)).rejects.toMatchObject(refused('m.ts does not compile', output))
})

test.each([
  ['parentheses', `return ${'('.repeat(20_000)}""${')'.repeat(20_000)}`],
  ['blocks', `${'{'.repeat(20_000)}${'}'.repeat(20_000)}\nreturn ""`],
  ['types', `let a: ${'Array<'.repeat(8000)}i32${'>'.repeat(8000)}\nreturn ""`],
  ['a sum, on which the compiler crashes', `return ""${' + "a"'.repeat(20_000)}`],
])('%s nested too deeply are an error of the source, not a bug', async (_, body) => {
  const folder = project({ 'm.ts': `export function main(): string {\n${body}\n}\n` })
  const message = 'm.ts does not compile: it nests deeper than the compiler can follow'
  await expect(compile(folder)).rejects.toMatchObject(refused(message))
})

test('sources have a maximum size, each and in total', async () => {
  const filler = (bytes: number) => `//${'x'.repeat(bytes)}\nexport const n = 1\n`
  const large = filler(4 * 1024 * 1024)
  await expect(compile(project({ 'm.ts': large }))).rejects.toThrow('m.ts is larger than 4194304 bytes')
  const parts = ['a', 'b', 'c', 'd', 'e']
  const importing = parts.map((name) => `export * from "./${name}"\n`).join('')
  const imported = project({ 'm.ts': importing, 'a.ts': large })
  await expect(compile(imported)).rejects.toThrow(
    `${path.join(imported, 'a.ts')} is larger than 4194304 bytes`,
  )
  const files = Object.fromEntries(parts.map((name) => [`${name}.ts`, filler(3.9 * 1024 * 1024)]))
  await expect(compile(project({ 'm.ts': importing, ...files }))).rejects.toThrow(
    'm.ts and what it imports are larger than 16777216 bytes',
  )
})

test.skipIf(process.platform === 'win32')('a pipe is not read as an imported module', async () => {
  const folder = project({ 'm.ts': 'import { x } from "./x"\nexport function f(): string { return x() }' })
  spawnSync('mkfifo', [path.join(folder, 'x.ts')])
  await expect(compile(folder)).rejects.toMatchObject(refused('m.ts does not compile'))
})
