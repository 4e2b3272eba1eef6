import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientDocument, keyedOperations } from '../scripts/hub-client.ts'
import { installClient, packClient, readmeProgram } from '../testing/client-package.ts'
import { pageProgram, referenceSamples } from '../testing/page-samples.ts'
import { keyedOperations as keyed } from './api.generated.ts'
import packageJson from './package.json' with { type: 'json' }

const root = path.resolve(import.meta.dirname, '..')
const away = mkdtempSync(path.join(tmpdir(), 'client-package-'))
let tarball: string
/** An empty project that has installed it. */
let project: string
beforeAll(async () => {
  tarball = await packClient(away)
  project = installClient(away, tarball)
})
afterAll(() => rmSync(away, { recursive: true, force: true }))

const { name } = packageJson
const installed = () => path.join(project, 'node_modules', name)
const parts = Object.entries(packageJson.exports).flatMap(([part, target]) =>
  typeof target === 'string' ? [] : [path.posix.join(name, part)],
)

describe('the package', () => {
  test('contains only its own files, and has no dependencies', () => {
    expect(readdirSync(installed()).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
    expect(packageJson).not.toHaveProperty('dependencies')
    expect(Object.keys(packageJson.scripts).filter((script) => /install/.test(script))).toEqual([])
  })

  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: installed(), pack: false, strict: true })
    expect(messages).toEqual([])
  })

  test('has types for every resolution mode that can import modules', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
    // A package of modules alone is nothing for the others: `require` before Node 20.19, and resolution before `exports`.
    const ignored = ['node10', 'node16-cjs']
    const problems = analysis.types === false ? ['no types'] : analysis.problems
    expect(
      problems.filter(
        (problem) => !ignored.includes((problem as { resolutionKind?: string }).resolutionKind ?? ''),
      ),
    ).toEqual([])
  })

  test('knows which calls take an Idempotency-Key', () => {
    expect(keyed).toEqual(keyedOperations(clientDocument()))
  })
})

/** The size of a bundled program in bytes, after minifying and gzip, without chunks that are loaded on demand. */
async function sizeOf(program: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: project },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    outdir: project,
    entryNames: 'entry',
  })
  const loaded = new Set(Object.keys(metafile.outputs).filter((file) => file.endsWith('entry.js')))
  for (const file of loaded)
    for (const { kind, path: imported } of metafile.outputs[file]!.imports)
      if (kind === 'import-statement') loaded.add(imported)
  const names = [...loaded].map((file) => path.basename(file))
  const files = outputFiles.filter((file) => names.includes(path.basename(file.path)))
  expect(files).toHaveLength(loaded.size)
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}

describe('the code that a page loads', () => {
  test('for the core is at most 15 kB', async () => {
    expect(await sizeOf(`export * from '${name}'`)).toBeLessThanOrEqual(15_000)
  })

  test('for the core and signing is at most 25 kB', async () => {
    expect(await sizeOf(`export * from '${name}'; export * from '${name}/signing'`)).toBeLessThanOrEqual(
      25_000,
    )
  })

  test('to check webhooks is at most 1.5 kB', async () => {
    expect(await sizeOf(`export { verifyWebhook } from '${name}/webhooks'`)).toBeLessThanOrEqual(1_500)
  })
})

test('every part loads in an older and a newer Node.js, and imports no module of Node.js', () => {
  const program = parts
    .map((part) => `console.log(Object.keys(await import('${part}')).length > 0)`)
    .join('\n')
  writeFileSync(path.join(project, 'load.js'), program)
  for (const node of [oldNode(), process.execPath]) {
    const { status, stdout, stderr } = spawnSync(node, ['load.js'], { cwd: project, encoding: 'utf8' })
    expect([node, status, stdout, stderr]).toEqual([node, 0, 'true\n'.repeat(parts.length), ''])
  }
  const code = readdirSync(path.join(installed(), 'dist'), { recursive: true, encoding: 'utf8' })
    // It starts processes, and is for Node.js alone.
    .filter((file) => file.endsWith('.js') && file !== 'testing.js')
    .map((file) => readFileSync(path.join(installed(), 'dist', file), 'utf8'))
  expect(code.filter((text) => /\b(from|import\() ?["'](?!\.)/.test(text))).toEqual([])
})

/** The Node.js of the machine, which is older than that of the project. */
const oldNode = (): string =>
  execFileSync('sh', ['-c', 'command -v node'], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH?.split(':')
        .filter((place) => !place.includes('node_modules'))
        .join(':'),
    },
  }).trim()

const strictOptions = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  moduleDetection: 'force',
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
}

/** Compiles programs in a folder of the project. @returns The errors. */
function compile(name: string, programs: readonly (readonly [string, string])[], options: object): string {
  const folder = path.join(project, name)
  mkdirSync(folder)
  for (const [file, program] of programs) writeFileSync(path.join(folder, file), program)
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  // More threads repeat some of the work.
  const args = ['-p', folder, '--singleThreaded']
  return spawnSync(path.join(root, 'node_modules/.bin/tsc'), args, { encoding: 'utf8' }).stdout
}

test('the code of the README and every sample of the reference and of docs/gasless-actions.md compile in a strict TypeScript project', () => {
  const readme = readmeProgram('js', 'ts').replace('receive(request)', 'receive(request: Request)')
  const samples = referenceSamples('https://hub.example').flatMap<[string, string]>(
    ({ call, samples: { typescript } }) =>
      typescript === undefined ? [] : [[`${call.operationId}.ts`, `${typescript}\nexport {}\n`]],
  )
  expect(samples.length).toBeGreaterThan(150)
  const programs = [
    ...samples,
    ['gasless.ts', pageProgram('docs/gasless-actions.md', 'ts', 'https://hub.example')] as const,
    ['readme.ts', readme + strict] as const,
    ['node.d.ts', nodeTypes] as const,
  ]
  expect(compile('samples', programs, strictOptions)).toBe('')
})

test('accounts of viem are wallets', () => {
  symlinkSync(path.join(root, 'node_modules/viem'), path.join(project, 'node_modules/viem'))
  // Faults in the types of viem itself are not faults of the client.
  const options = { ...strictOptions, skipLibCheck: true }
  expect(compile('viem', [['wallets.ts', viemWallets]], options)).toBe('')
})

/** As much of Node.js as the samples use. */
const nodeTypes = `declare module 'node:fs/promises' { export function readFile(name: string): Promise<Uint8Array> }
declare const process: { env: Record<string, string | undefined> }
`

const strict = `
declare const process: { env: Record<string, string | undefined> }
import { browserWallet, type Wallet } from '${name}/signing'
export const wallets: Wallet[] = [keyWallet('0x11'), browserWallet({ request: async () => '' }, '0x')]
export const bytes: Uint8Array = await hub.call('GET /v1/modules/{address}/hbc', { path: { address: '0x' } })
// @ts-expect-error The path has a parameter.
await hub.call('GET /v1/projects/{project_id}')
// @ts-expect-error No such call.
await hub.call('GET /v1/nothing')
// @ts-expect-error Its pages have another cursor: events are followed.
hub.list('GET /v1/events')
// @ts-expect-error No such filter.
hub.rounds.list({ color: 'red' })
`

const viemWallets = `
import type { Wallet } from '${name}/signing'
import { privateKeyToAccount } from 'viem/accounts'
export const wallets: Wallet[] = [privateKeyToAccount('0x11')]
`
