import { guestPagesMax, guestTableElementsMax } from '../../../../protocol/wasm/guest.ts'
import { type FunctionType, type Module, readModule } from '../../../../protocol/wasm/module.ts'
import { declaredFunctions } from '../validation/validator.ts'
import { BlockTypes } from './block-types.ts'
import { ByteWriter, opcode } from './byte-writer.ts'
import { type MeterGlobals, meterExports, meterGlobals, meterGlobalsFrom } from './meter-state.ts'
import { type NanHandling, OptimisticBody } from './optimistic-body.ts'
import { rewriteModule, startExport } from './rewrite-module.ts'
import { safepointBody } from './safepoint.ts'

/** Most parameters and results V8 lets a function have. */
const valuesMax = 1000

/** Code up to this many bytes is metered again before anyone notices. */
const smallBytesMax = 64 * 1024
/**
 * Bytes of code for each operator that may make a NaN, where such operators are rare: numeric code has one in every 15 to
 * 200 bytes, SQLite one in 770.
 */
const rareEveryBytes = 512

export interface OptimisticModule {
  wasm: Uint8Array
  /** Some function observes NaNs: a run that does not succeed must be repeated. */
  observesNan: boolean
}

/**
 * Validates a module and rewrites it for speed; see {@link OptimisticBody}. A run of it that succeeds did and cost
 * what the rules say.
 *
 * Looking for NaNs costs numeric code half as much as making them canonical, but a NaN that is found costs another
 * rewriting and another run. So NaNs are made canonical in a large module that hardly computes with floats.
 *
 * @param handling How NaNs are handled; what the module makes cheaper when left out.
 * @returns null for a module that has to be metered exactly from the start.
 * @throws {@link WasmError} for a module that is not valid.
 */
export function meterOptimistically(wasm: Uint8Array, handling?: NanHandling): OptimisticModule | null {
  const module = readModule(wasm)
  const declared = declaredFunctions(module)
  if (!fits(module, declared)) return null
  const { types, functions, importedFunctions } = module
  const countedType = (type: number): number => types.length + type
  const blockTypes = new BlockTypes(2 * types.length)
  const globals = meterGlobalsFrom(module.globals.length)
  const safepoint = functions.length
  const starts = module.bodies.map((reader) => reader.at)
  const write = (index: number, nans: NanHandling) => {
    const reader = module.bodies[index]!
    reader.at = starts[index]!
    const type = functions[importedFunctions + index]!
    const request = { wasm, module, type, reader, declared, blockTypes, globals, safepoint }
    const body = new OptimisticBody(request, { importedFunctions, countedType, nans })
    return { code: body.write(), observesNan: body.observesNan, nanOperators: body.nanOperators }
  }
  const observing = starts.map((_, index) => write(index, 'observed'))
  const nans = handling ?? cheaperHandling(module, starts, observing)
  const written =
    nans === 'observed'
      ? observing
      : observing.map((body, index) => (body.observesNan ? write(index, nans) : body))
  const bodies = written.map(({ code }) => code)
  const observesNan = written.some((body) => body.observesNan)

  const blocks = blockTypes.types()
  const functionTypes = functions.slice(importedFunctions).map(countedType)
  functionTypes.push(2 * types.length + blocks.length)
  bodies.push(safepointBody(safepoint, globals))
  const exports = [{ name: 'memory', kind: 2, index: 0 }]
  const enter = (name: string, target: number): void => {
    const type = functions[target]!
    exports.push({ name, kind: 0, index: importedFunctions + functionTypes.length })
    functionTypes.push(type)
    bodies.push(entryBody(types[type]!, target, globals))
  }
  for (const name of ['__alloc', '__hive_entry'])
    enter(name, module.exports.find((one) => one.name === name)!.index)
  if (module.start !== undefined) enter(startExport, module.start)
  for (const [name, index] of Object.entries(globals))
    exports.push({ name: meterExports[name as keyof MeterGlobals], kind: 3, index })
  // Bodies may refer to exported functions, and only to functions named somewhere outside bodies.
  for (const index of new Set(
    module.exports.filter(({ kind }) => kind === 'function').map((one) => one.index),
  ))
    exports.push({ name: `__ndsr_function_${index}`, kind: 0, index })

  const counted = types.map(
    ({ params, results }): FunctionType => ({
      params: [...params, 'i64', 'i32'],
      results: [...results, 'i64'],
    }),
  )
  const rewritten = rewriteModule(wasm, module, {
    bodies,
    types: [...counted, ...blocks, { params: [], results: [] }],
    functions: functionTypes,
    exports,
    globals: meterGlobals,
    caps: { pages: guestPagesMax, elements: guestTableElementsMax },
  })
  return { wasm: rewritten, observesNan }
}

function cheaperHandling(
  { bodies }: Module,
  starts: readonly number[],
  written: readonly { readonly nanOperators: number }[],
): NanHandling {
  const bytes = bodies.reduce((sum, { end }, index) => sum + end - starts[index]!, 0)
  const operators = written.reduce((sum, { nanOperators }) => sum + nanOperators, 0)
  return bytes > smallBytesMax && operators * rareEveryBytes <= bytes ? 'canonical' : 'observed'
}

/** Functions of the host keep their types, so none may be where functions of the guest are. */
function fits({ types, importedFunctions }: Module, declared: ReadonlySet<number>): boolean {
  for (const index of declared) if (index < importedFunctions) return false
  return types.every(({ params, results }) => params.length + 2 <= valuesMax && results.length < valuesMax)
}

/** A function the host calls: it takes gas and units from the globals, and leaves the gas there. */
function entryBody({ params }: FunctionType, target: number, { fuel, budget }: MeterGlobals): Uint8Array {
  const body = new ByteWriter()
  body.byte(0)
  for (let index = 0; index < params.length; index++) body.op(opcode.localGet, index)
  body.op(opcode.globalGet, fuel)
  body.op(opcode.globalGet, budget)
  body.op(opcode.call, target)
  body.op(opcode.globalSet, fuel)
  body.byte(0x0b)
  return body.view()
}
