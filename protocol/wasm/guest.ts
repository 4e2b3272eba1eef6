import { checkBody } from './body.ts'
import { type FunctionType, type Module, readModule } from './module.ts'
import { WasmError } from './reader.ts'
import { shownName } from './values.ts'

/** Linear memory of a guest, in pages of 64 KiB. */
export const guestPagesMax = 1024
const guestTablesMax = 4
export const guestTableElementsMax = 100_000
/** Export names that begin so are the host's own. */
const reservedExportPrefix = '__ndsr_'

/**
 * The functions a guest may import, each with its one signature: parameters, then `-> i64` where it gives something.
 * All parameters are i32.
 */
export const guestImports = {
  'hive.call': { params: 6, result: true },
  'hive.emit': { params: 4, result: false },
  'hive.abort': { params: 2, result: false },
  'storage.get': { params: 2, result: true },
  'storage.set': { params: 4, result: false },
  'storage.del': { params: 2, result: false },
  'console.log': { params: 2, result: false },
  'crypto.hash': { params: 2, result: true },
  'env.abort': { params: 4, result: false },
} as const satisfies Record<string, { params: number; result: boolean }>

export type GuestImport = keyof typeof guestImports

/** A module that keeps the rules for guests. */
export interface Guest {
  /** Host functions it imports, in the order of the module. */
  readonly imports: readonly GuestImport[]
  /** It imports neither storage nor cross-module calls. */
  readonly stateless: boolean
  readonly module: Module
}

/**
 * Checks that a module is WebAssembly of the allowed features and keeps the guest ABI ("Guest ABI" and "Limits" in
 * protocol/hbc/README.md). Linear in the bytes.
 *
 * @throws {@link WasmError} `malformed`, `feature` or `abi`.
 */
export function checkGuest(wasm: Uint8Array): Guest {
  const guest = readGuest(wasm)
  const { module } = guest
  for (const [index, reader] of module.bodies.entries())
    checkBody(module, module.functions[module.importedFunctions + index]!, reader)
  return guest
}

/**
 * Checks everything of a guest but the bodies of its functions, for those who walk them with {@link checkBody} or with
 * more than it checks.
 *
 * @throws {@link WasmError} `malformed`, `feature` or `abi`.
 */
export function readGuest(wasm: Uint8Array): Guest {
  const module = readModule(wasm)
  checkMemories(module)
  checkTables(module)
  const imports = module.imports.map((imported) => checkImport(module, imported))
  checkExports(module)
  const stateless = !imports.some((name) => name.startsWith('storage.') || name === 'hive.call')
  return { imports, stateless, module }
}

const abi = (message: string): never => {
  throw new WasmError('abi', message)
}

function checkMemories({ memories }: Module): void {
  if (memories.length > 1) throw new WasmError('feature', 'several memories are not allowed')
  const memory = memories[0]
  if (memory !== undefined && memory.min > guestPagesMax)
    abi(`the memory begins with ${memory.min} pages; at most ${guestPagesMax} are allowed`)
}

function checkTables({ tables }: Module): void {
  if (tables.length > guestTablesMax)
    abi(`the module has ${tables.length} tables; at most ${guestTablesMax} are allowed`)
  for (const { min } of tables)
    if (min > guestTableElementsMax)
      abi(`a table begins with ${min} elements; at most ${guestTableElementsMax} are allowed`)
}

function checkImport(
  module: Module,
  { module: from, name, kind, type }: Module['imports'][number],
): GuestImport {
  const full = `${from}.${name}`
  const shown = full.length > 64 ? shownName(full) : full
  if (kind !== 'function')
    return abi(`the import ${shown} is a ${kind}; only functions of the host can be imported`)
  if (!Object.hasOwn(guestImports, full)) {
    const wasi = from.startsWith('wasi') ? '; WASI is not available to guests' : ''
    return abi(`the import ${shown} is not a function of the host${wasi}`)
  }
  const { params, result } = guestImports[full as GuestImport]
  const expected = signature(Array(params).fill('i32'), result ? ['i64'] : [])
  const found = signatureOf(module.types[type]!)
  if (found !== expected) abi(`the import ${full} has the signature ${found}, not ${expected}`)
  return full as GuestImport
}

function checkExports(module: Module): void {
  const exports = new Map(module.exports.map((exported) => [exported.name, exported]))
  for (const name of exports.keys())
    if (name.startsWith(reservedExportPrefix))
      abi(`the export ${shownName(name)} is reserved: names with ${reservedExportPrefix} are the host's`)
  if (exports.get('memory')?.kind !== 'memory') abi('the module does not export its memory as "memory"')
  for (const [name, params, results] of [
    ['__alloc', ['i32'], ['i32']],
    ['__hive_entry', ['i32', 'i32', 'i32'], ['i64']],
  ] as const) {
    const exported = exports.get(name)
    if (exported?.kind !== 'function') abi(`the module does not export the function ${name}`)
    const found = signatureOf(module.types[module.functions[exported!.index]!]!)
    const expected = signature(params, results)
    if (found !== expected) abi(`the export ${name} has the signature ${found}, not ${expected}`)
  }
}

const signature = (params: readonly string[], results: readonly string[]): string =>
  `(${params.join(', ')}) -> (${results.join(', ')})`

const signatureOf = ({ params, results }: FunctionType): string => signature(params, results)
