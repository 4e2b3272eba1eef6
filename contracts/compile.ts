/**
 * Compiles the contracts with solc-js into committed, typed files, so that neither `npm start` nor the Worker needs a
 * compiler. `node contracts/compile.ts` writes them, `--check` only says whether they are stale.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const folder = import.meta.dirname
const require = createRequire(import.meta.url)

/** No metadata hash at the end: the bytecode follows from code and settings alone, not from comments or paths. */
const settings = {
  optimizer: { enabled: true, runs: 800 },
  evmVersion: 'prague',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

/** Given for OpenZeppelin's reentrancy guard, the use that the note itself calls safe. Every other warning is an error. */
const transientStorageNote = '2394'

/** What goes into which file: contracts of the network, and adversaries that only tests deploy. */
const targets = [
  { file: 'generated/contracts.ts', sources: 'src', only: (source: string) => !source.includes('/', 4) },
  { file: 'generated/mocks.ts', sources: 'test/mocks', only: () => true },
]

interface AbiItem {
  type: string
  name?: string
  inputs?: { type: string; components?: unknown }[]
}
interface Output {
  errors?: { severity: string; errorCode: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: AbiItem[]; evm: { bytecode: { object: string } } }>>
}

/** Everything the output depends on. Line ends do not matter, so that a checkout on Windows is not stale. */
export function hashSources(): string {
  const hash = createHash('sha256')
  for (const source of listSources()) hash.update(`${source}\0${readSource(source)}\0`)
  hash.update(JSON.stringify([settings, packageVersion('solc'), packageVersion('@openzeppelin/contracts')]))
  return hash.digest('hex')
}

/** The hashes that the committed files were made from. */
export function committedHashes(): (string | null)[] {
  return targets.map(
    ({ file }) =>
      /sourceHash = '([0-9a-f]{64})'/.exec(readFileSync(path.join(folder, file), 'utf8'))?.[1] ?? null,
  )
}

function compile(): void {
  // biome-ignore lint/suspicious/noExplicitAny: solc-js has no types for its wrapper.
  const solc = require('solc') as any
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(listSources().map((source) => [source, { content: readSource(source) }])),
    settings,
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport })) as Output
  const problems = output.errors?.filter(({ errorCode }) => errorCode !== transientStorageNote) ?? []
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  for (const { file, sources, only } of targets) {
    const compiled = Object.entries(output.contracts)
      .filter(([source]) => source.startsWith(`${sources}/`) && only(source))
      .flatMap(([, contracts]) => Object.entries(contracts))
    writeFileSync(path.join(folder, file), render(compiled))
  }
}

function render(compiled: [string, Output['contracts'][string][string]][]): string {
  const errors = new Map<string, AbiItem>()
  const parts = [
    '// Written by contracts/compile.ts. Do not edit.',
    `export const sourceHash = '${hashSources()}'`,
    `export const solcVersion = '${packageVersion('solc')}'`,
  ]
  for (const [name, { abi, evm }] of compiled.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const constant = `${name[0]!.toLowerCase()}${name.slice(1)}`
    parts.push(`export const ${constant}Abi = ${JSON.stringify(abi)} as const`)
    parts.push(`export const ${constant}Bytecode = '0x${evm.bytecode.object}'`)
    for (const item of abi)
      if (item.type === 'error') errors.set(JSON.stringify([item.name, item.inputs]), item)
  }
  parts.push(
    '/** The errors of every contract: a revert may pass through a contract that does not declare it. */',
    `export const contractErrorsAbi = ${JSON.stringify([...errors.values()])} as const`,
  )
  return `${parts.join('\n')}\n`
}

function findImport(source: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(require.resolve(source), 'utf8') }
  } catch {
    return { error: `${source} is not installed` }
  }
}

const listSources = (): string[] =>
  targets
    .flatMap(({ sources }) =>
      readdirSync(path.join(folder, sources), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.posix.join(sources, ...file.split(path.sep)),
      ),
    )
    .filter((file) => file.endsWith('.sol'))
    .sort()

const readSource = (source: string): string =>
  readFileSync(path.join(folder, source), 'utf8').replaceAll('\r\n', '\n')

const packageVersion = (name: string): string =>
  (JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')) as { version: string }).version

if (import.meta.main) {
  if (!process.argv.includes('--check')) compile()
  const current = hashSources()
  if (committedHashes().some((hash) => hash !== current)) {
    console.error('contracts/generated is stale. Run: node scripts/nx.mjs node contracts/compile.ts')
    process.exitCode = 1
  }
}
