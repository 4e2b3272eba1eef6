/**
 * Compiles the contracts with solc-js into committed, typed files, so that neither `npm start` nor the Worker needs a
 * compiler. `node contracts/compile.ts` writes them, `--check` only says whether they are stale.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Abi } from 'viem'
import { toEventSelector } from 'viem/utils'

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

interface Target {
  file: string
  sources: string
  only: (source: string) => boolean
}

const network: Target = {
  file: 'generated/contracts.ts',
  sources: 'src',
  only: (source) => !source.includes('/', 4),
}
/** Adversaries that only tests deploy. */
const mocks: Target = { file: 'generated/mocks.ts', sources: 'test/mocks', only: () => true }
const targets = [network, mocks]

/** Functions that the hub calls, by their contracts. */
const calledByHub: Readonly<Record<string, readonly string[]>> = {
  Faucet: ['drip'],
  HubToken: ['balanceOf', 'nonces', 'transfer'],
  ProjectRegistry: ['register', 'registerBySig', 'publishVersion', 'publishVersionBySig', 'setListingStatus'],
  ProjectVault: ['claimMany', 'payFees', 'postEpoch', 'reopen', 'veto'],
  Staking: [
    ...['bond', 'bondBatch', 'setPayout', 'unbond', 'withdraw'].flatMap((name) => [name, `${name}BySig`]),
    ...['subscriptionOf', 'proposeSlash', 'disputeSlash', 'executeSlash', 'voidSlash', 'cancelSlash'],
    ...['upholdSlash', 'endDispute'],
  ],
  VaultFactory: ['pause', 'unpause'],
}

interface Contract {
  abi: Abi
  evm: { bytecode: { object: string } }
}
interface Output {
  errors?: { severity: string; errorCode: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, Contract>>
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
  for (const target of targets) write(target.file, renderContracts(contractsOf(output, target)))
  write('generated/functions.ts', renderFunctions(contractsOf(output, network)))
  write('generated/events.ts', renderEvents(contractsOf(output, network)))
  write('generated/errors.ts', renderErrors(contractsOf(output, network)))
}

const contractsOf = ({ contracts }: Output, { sources, only }: Target): [string, Contract][] =>
  Object.entries(contracts)
    .filter(([source]) => source.startsWith(`${sources}/`) && only(source))
    .flatMap(([, byName]) => Object.entries(byName))
    .sort(([a], [b]) => (a < b ? -1 : 1))

const write = (file: string, lines: string[]): void =>
  writeFileSync(
    path.join(folder, file),
    `${['// Written by contracts/compile.ts. Do not edit.', ...lines].join('\n')}\n`,
  )

/** Without the names that types have in Solidity: the Worker loads ABIs, and no call needs them. */
const literal = (value: unknown): string =>
  JSON.stringify(value, (key, member) => (key === 'internalType' ? undefined : member))

const constantOf = (contract: string): string => `${contract[0]!.toLowerCase()}${contract.slice(1)}`

function renderContracts(contracts: [string, Contract][]): string[] {
  return [
    `export const sourceHash = '${hashSources()}'`,
    `export const solcVersion = '${packageVersion('solc')}'`,
    ...contracts.flatMap(([name, { abi, evm }]) => [
      `export const ${constantOf(name)}Abi = ${literal(abi)} as const`,
      `export const ${constantOf(name)}Bytecode = '0x${evm.bytecode.object}'`,
    ]),
  ]
}

/** For the Worker, which takes no more of an ABI than it calls, and has events and errors from their own files. */
function renderFunctions(contracts: [string, Contract][]): string[] {
  return contracts.flatMap(([name, { abi }]) => {
    const called = calledByHub[name] ?? []
    const functions = abi.filter((item) => item.type === 'function' && called.includes(item.name))
    return called.length === 0
      ? []
      : [
          `/** The functions of ${name} that the hub calls. */`,
          `export const ${constantOf(name)}Functions = ${literal(functions)} as const`,
        ]
  })
}

/** Apart from the ABIs, and with their topics: the Worker needs these at its start, and hashing them takes long there. */
function renderEvents(contracts: [string, Contract][]): string[] {
  return contracts.flatMap(([name, { abi }]) => {
    const events = abi.filter((item) => item.type === 'event')
    const entries = events.map((event) => [event.name, { topic: toEventSelector(event), abi: event }])
    return [
      `/** The events of ${name} by their names, each with its first topic. */`,
      `export const ${constantOf(name)}Events = ${literal(Object.fromEntries(entries))} as const`,
    ]
  })
}

function renderErrors(contracts: [string, Contract][]): string[] {
  const errors = contracts.flatMap(([, { abi }]) => abi.filter((item) => item.type === 'error'))
  const distinct = new Map(errors.map((error) => [JSON.stringify([error.name, error.inputs]), error]))
  return [
    '/** The errors of every contract: a revert may pass through a contract that does not declare it. */',
    `export const contractErrorsAbi = ${literal([...distinct.values()])} as const`,
  ]
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
