import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseArtifact } from '../protocol/hbc/artifact.ts'
import { filledAscHome, temporaryFolder } from '../testing/node/folders.ts'
import { failedWith, nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { startPackageRegistry } from '../testing/node/package-registry.ts'
import { ensureAsc } from './src/compiler/asc-home.ts'
import { compileModule } from './src/compiler/compile-module.ts'
import { project } from './src/compiler/testing/project.ts'

const env = { NODE_ASC_HOME: filledAscHome() }
const greeter = 'export function greet(name: string): string { return "Hello, " + name }\n'

const compile = (cwd: string, ...args: string[]) => nodectlHere(['compile', ...args], { env, cwd })
/** The same in a process of its own, which takes longer to load the compiler than that takes to compile. */
const compileAlone = (cwd: string, ...args: string[]) => nodectl(['compile', ...args], { env, cwd })

/** Compiles to `m.hbc` without the command. */
async function compileHere(cwd: string, source = 'm.ts') {
  vi.stubEnv('NODE_ASC_HOME', env.NODE_ASC_HOME)
  const before = process.cwd()
  process.chdir(cwd)
  const compiled = await compileModule({ source, name: 'm' }).finally(() => process.chdir(before))
  writeFileSync(path.join(cwd, 'm.hbc'), compiled.bytes)
  return compiled
}

describe('compile', () => {
  test('writes the artifact beside the source, and prints its address, functions and size', async () => {
    const cwd = project({ 'greeter.ts': greeter })
    const { code, stdout, stderr } = await compile(cwd, 'greeter.ts')
    expect([code, stderr]).toEqual([0, ''])
    const bytes = new Uint8Array(readFileSync(path.join(cwd, 'greeter.hbc')))
    const { manifest, manifestAddress, wasm, guest } = parseArtifact(bytes)
    expect(JSON.parse(stdout)).toEqual({
      out: 'greeter.hbc',
      manifest_address: manifestAddress,
      functions: ['greet'],
      wasm_bytes: wasm.length,
      hbc_bytes: bytes.length,
    })
    expect(manifest).toEqual({
      name: 'greeter',
      language: 'assemblyscript',
      compiler: 'asc 0.28.20',
      runtime: 'hive-wasm-v1',
      functions: ['greet'],
      manifest_address: manifestAddress,
    })
    expect(guest.stateless).toBe(true)
    expect(readdirSync(cwd).sort()).toEqual(['greeter.hbc', 'greeter.ts'])
  })

  test('the same source gives the same bytes from another folder and by another path', async () => {
    const files = {
      'deep/er/module.ts':
        'import { part } from "./lib/part"\nexport function main(): string { return part() }\n',
      'deep/er/lib/part.ts': 'export function part(): string { throw new Error("why") }\n',
    }
    const [one, two] = [project(files), project(files)]
    const compiled = await compileHere(one, 'deep/er/module.ts')
    expect(await compileHere(temporaryFolder(), path.join(two, 'deep/er/module.ts'))).toEqual(compiled)
  })

  test('packages are found from the source, in whichever folder the tool is called', async () => {
    const cwd = project({
      'node_modules/pack/index.ts': 'import { deep } from "deep"\nexport const word: string = deep\n',
      'node_modules/deep/index.ts': 'export const deep: string = "deep"\n',
      'src/m.ts':
        'import { word } from "pack"\nexport function main(): string { return word }\nexport const limit = 5\n',
    })
    const places = [cwd, path.join(cwd, 'src'), temporaryFolder(), path.join(cwd, 'node_modules')]
    const addresses = new Set<string>()
    for (const place of places)
      addresses.add((await compileHere(place, path.join(cwd, 'src/m.ts'))).manifestAddress)
    expect(addresses.size).toBe(1)
  })

  test('a module that imports the source by its name shares its variables', async () => {
    const cwd = project({
      'm.ts': `import { raise } from "./part"
export let count = 0
export function main(): string { raise(); return count.toString() }
export function increase(): void { count += 1 }
`,
      'part.ts': 'import { increase } from "./m"\nexport function raise(): void { increase(); increase() }\n',
    })
    await compileHere(cwd)
    const { stdout } = await nodectlHere(['run', 'm.hbc', 'main'], { cwd })
    expect(JSON.parse(stdout).output).toBe('2')
  })

  test('the error of a module reaches its user', async () => {
    const cwd = project({
      'm.ts': `export function main(input: string): string {
  if (input == "") throw new Error("größer als nichts")
  return input.substr(0, I32.parseInt(input.split(",")[1]))
}
`,
    })
    await compileHere(cwd)
    for (const NODE_ENGINE of ['native', 'pulley']) {
      const failed = async (input: string) =>
        JSON.parse(
          (await nodectlHere(['run', 'm.hbc', 'main', `--input=${input}`], { cwd, env: { NODE_ENGINE } }))
            .stdout,
        )
      expect(await failed('')).toMatchObject({ success: false, error: 'aborted: größer als nichts' })
      expect(await failed('a')).toMatchObject({ error: 'aborted: Index out of range' })
    }
  })

  test('functions may be defined, with names that need no import', async () => {
    const cwd = project({
      'm.ts': `function increment(input: string): string {
  if (input == "stop") hive.fail("stopped")
  const kept = storage.get("n")
  const next = (kept.length == 0 ? 0 : I64.parseInt(kept)) + 1
  storage.set("n", next.toString())
  if (next == 3) storage.del("n")
  hive.emit("incremented", '{"n":' + next.toString() + "}")
  hive.log("counted")
  return next.toString()
}
function ask(input: string): string {
  const parts = input.split(" ")
  const answer = hive.tryCall(parts[0], parts[1], "")
  const raw = hive.tryCallRaw(parts[0], parts[1], "")
  return (answer === null ? "null" : answer) + " " + (raw < 0 ? raw.toString() : "ok")
}
hive.define("increment", increment)
hive.define("ask", ask)
hive.define("insist", (input: string): string => hive.call(input, "none", ""))
hive.define("hash", (input: string): string => hive.hash(input))
`,
    })
    const { manifestAddress, functions } = await compileHere(cwd)
    expect(functions).toEqual(['ask', 'hash', 'increment', 'insist'])
    const run = async (name: string, input: string) => {
      const args = ['run', 'm.hbc', name, '--data-dir', 'node', `--input=${input}`]
      const { stdout } = await nodectlHere(args, { cwd })
      const { output, error, receipt } = JSON.parse(stdout)
      return { output, error, events: receipt.receipt.events }
    }
    for (const n of [1, 2, 3, 1])
      expect(await run('increment', '')).toEqual({
        output: String(n),
        error: null,
        events: [{ name: 'incremented', data: { n } }],
      })
    expect(await run('increment', 'stop')).toMatchObject({ error: 'aborted: stopped' })
    expect((await run('hash', 'a')).output).toMatch(/^0x[0-9a-f]{64}$/)
    // Called twice, and each time by one more.
    expect((await run('ask', `${manifestAddress} increment`)).output).toBe('2 ok')
    expect((await run('ask', `${manifestAddress} none`)).output).toBe('null -2')
    expect((await run('ask', '0x none')).output).toBe('null -6')
    expect((await run('insist', manifestAddress)).error).toBe('aborted: call of none failed with code -2')
  })

  test('the output never overwrites the source, under any name of the source', async () => {
    const cwd = project({ 'm.ts': greeter })
    symlinkSync('m.ts', path.join(cwd, 'link'))
    linkSync(path.join(cwd, 'm.ts'), path.join(cwd, 'twin'))
    for (const out of ['m.ts', './m.ts', 'link', 'twin'])
      expect(await compile(cwd, 'm.ts', '-o', out)).toEqual(
        failedWith(`Error: ${out} is the source m.ts; name another file\n`),
      )
    expect(readFileSync(path.join(cwd, 'm.ts'), 'utf8')).toBe(greeter)
  })

  test('a directory is refused as the output; a symlink stays one, and its target becomes the artifact', async () => {
    const cwd = project({ 'm.ts': greeter, 'deep/old.hbc': 'old' })
    expect(await compile(cwd, 'm.ts', '-o', 'deep')).toMatchObject({
      code: 1,
      stderr: 'Error: deep is a directory; name a file in it\n',
    })
    symlinkSync('deep/old.hbc', path.join(cwd, 'm.hbc'))
    symlinkSync('deep/new.hbc', path.join(cwd, 'fresh'))
    for (const out of ['m.hbc', 'fresh']) {
      expect((await compile(cwd, 'm.ts', '-o', out)).stderr).toBe('')
      expect(lstatSync(path.join(cwd, out)).isSymbolicLink()).toBe(true)
    }
    expect(readdirSync(path.join(cwd, 'deep')).sort()).toEqual(['new.hbc', 'old.hbc'])
    const [fresh, replaced] = ['new.hbc', 'old.hbc'].map((name) => readFileSync(path.join(cwd, 'deep', name)))
    expect(fresh).toEqual(replaced)
    expect(fresh!.subarray(0, 2).toString()).toBe('PK')
  })

  test.skipIf(process.platform === 'win32')('pipes and devices are written to, not replaced', async () => {
    const cwd = project({ 'm.ts': greeter })
    const pipe = path.join(cwd, 'pipe')
    spawnSync('mkfifo', [pipe])
    const [read, { code, stderr }] = await Promise.all([readFile(pipe), compile(cwd, 'm.ts', '-o', 'pipe')])
    expect([code, stderr, read.subarray(0, 2).toString()]).toEqual([0, '', 'PK'])
    expect(lstatSync(pipe).isFIFO()).toBe(true)

    symlinkSync('/dev/null', path.join(cwd, 'nowhere'))
    expect((await compile(cwd, 'm.ts', '-o', 'nowhere')).code).toBe(0)
    expect(statSync(path.join(cwd, 'nowhere')).isCharacterDevice()).toBe(true)

    const shown = await compileAlone(cwd, 'm.ts', '-o', '/dev/stdout')
    expect([shown.code, shown.stdout.slice(0, 2)]).toEqual([0, 'PK'])
    expect(JSON.parse(shown.stderr)).toMatchObject({ out: '/dev/stdout', hbc_bytes: read.length })
    expect(readdirSync(cwd).sort()).toEqual(['m.ts', 'nowhere', 'pipe'])
  })

  test('name and version can be chosen; the artifact can go to standard output', async () => {
    const cwd = project({ 'greeter.ts': greeter })
    const args = ['--out', '-', '--name', 'other', '--module-version', '1.2.0']
    const { code, stdout, stderr } = await compile(cwd, 'greeter.ts', ...args)
    expect(code).toBe(0)
    expect(stdout.startsWith('PK')).toBe(true)
    expect(stdout).toContain('"name":"other"')
    expect(stdout).toContain('"version":"1.2.0"')
    expect(JSON.parse(stderr)).toMatchObject({ out: '-', functions: ['greet'] })
    expect(readdirSync(cwd)).toEqual(['greeter.ts'])
  })

  test('a refused source leaves no file, and the error does not name its folder', async () => {
    const cwd = project({ 'm.ts': 'export function f(): string {\n  return missing()\n}' })
    const { code, stdout, stderr } = await compile(cwd, 'm.ts')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Error: m\.ts does not compile\n/)
    expect(stderr).toContain('m.ts(2,10)')
    expect(stderr).not.toContain(cwd)
    expect(readdirSync(cwd)).toEqual(['m.ts'])
  })

  test('source lines in compiler errors cannot control the terminal', async () => {
    const cwd = project({
      'm.ts': 'export function main(): string {\n\treturn missing("\u001b[2J\u009b31m\u202e")\n}\n',
    })
    const { code, stderr } = await compile(cwd, 'm.ts')
    expect(code).toBe(1)
    expect(stderr).toContain('missing("\\u001b[2J\\u009b31m\\u202e")\n')
    expect(stderr).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u)
  })

  test('a source in another encoding than UTF-8 is refused, also one that is imported', async () => {
    const cwd = project({
      'm.ts': 'import { part } from "./part"\nexport function main(): string { return part() }',
    })
    const part = Buffer.from('export function part(): string { return "caf\u00e9" }', 'latin1')
    writeFileSync(path.join(cwd, 'part.ts'), part)
    for (const source of ['part.ts', 'm.ts']) {
      const { code, stderr } = await compile(cwd, source)
      expect(code).toBe(1)
      expect(stderr).toContain('part.ts is not text in UTF-8; save it in that encoding\n')
    }
    expect(readdirSync(cwd).sort()).toEqual(['m.ts', 'part.ts'])
  })

  test('a source or an output that cannot be opened is an error of one line', async () => {
    const cwd = project({ 'm.ts': greeter })
    expect(await compile(cwd, 'missing.ts')).toMatchObject({
      code: 1,
      stderr: 'Error: missing.ts cannot be read: there is no such file\n',
    })
    expect(await compile(cwd, 'm.ts', '-o', 'no/such/out.hbc')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: no\/such\/out\.hbc cannot be written: .*\n$/),
    })
  })
})

describe('the compiler folder', () => {
  test('is filled on first use, also by two processes at once, and reused afterwards', async () => {
    const home = path.join(temporaryFolder(), 'not', 'there', 'asc')
    const cwd = project({ 'a.ts': greeter, 'b.ts': greeter })
    const fresh = {
      NODE_ASC_HOME: home,
      npm_config_registry: await startPackageRegistry(),
      npm_config_cache: temporaryFolder(),
      // Settings that npm passes to the script that calls it must not change this installation.
      npm_config_global: 'true',
      npm_config_dry_run: 'true',
      NPM_CONFIG_OMIT: 'prod',
      npm_config_package_lock_only: 'true',
    }
    const [one, two] = await Promise.all([
      nodectl(['compile', 'a.ts', '--name', 'x'], { env: fresh, cwd }),
      nodectl(['compile', 'b.ts', '--name', 'x'], { env: fresh, cwd }),
    ])
    expect([one.code, two.code], one.stderr + two.stderr).toEqual([0, 0])
    expect(one.stderr + two.stderr).toContain('Installing AssemblyScript 0.28.20')
    expect(readdirSync(path.dirname(home))).toEqual(['asc'])
    expect(readdirSync(home)).toEqual(['node_modules'])
    expect(JSON.parse(two.stdout).manifest_address).toBe(JSON.parse(one.stdout).manifest_address)
    // A later command finds it there, without npm.
    vi.stubEnv('PATH', path.dirname(process.execPath))
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await ensureAsc(home)).toBe(path.join(home, 'node_modules/assemblyscript'))
  })

  test.each(['INT', 'TERM', 'HUP'])('is left without a part of the compiler by SIG%s', async (signal) => {
    const cwd = project({
      'm.ts': greeter,
      // As npm, it gets the folder after --prefix. It signals nodectl when its first file is there.
      'bin/npm': `#!/bin/sh\nmkdir -p "$3/node_modules" && echo x > "$3/node_modules/file"\nkill -${signal} $PPID\nexec sleep 60\n`,
    })
    chmodSync(path.join(cwd, 'bin/npm'), 0o755)
    const interrupted = await nodectl(['compile', 'm.ts'], {
      env: { NODE_ASC_HOME: path.join(cwd, 'asc'), PATH: `${path.join(cwd, 'bin')}:${process.env.PATH}` },
      cwd,
    })
    expect(interrupted).toEqual({
      code: null,
      stdout: '',
      stderr: expect.stringMatching(/^Installing AssemblyScript .*\n$/),
    })
    expect(readdirSync(cwd).sort()).toEqual(['bin', 'm.ts'])
  })

  test('says what to do without npm, and if the folder contains something else', async () => {
    const cwd = project({ 'm.ts': greeter })
    const withoutNpm = project({})
    spawnSync('ln', ['-s', process.execPath, path.join(withoutNpm, 'node')])
    const missing = await nodectlHere(['compile', 'm.ts'], {
      env: { NODE_ASC_HOME: path.join(cwd, 'asc'), PATH: withoutNpm },
      cwd,
    })
    expect(missing).toEqual(failedWith(expect.stringContaining('npm was not found')))
    expect(existsSync(path.join(cwd, 'asc'))).toBe(false)

    const foreign = await nodectlHere(['compile', 'm.ts'], { env: { NODE_ASC_HOME: cwd }, cwd })
    expect(foreign).toEqual(
      failedWith(expect.stringContaining('is not empty; remove it or name another folder')),
    )
    expect(readdirSync(cwd)).toEqual(['m.ts'])
  })
})
