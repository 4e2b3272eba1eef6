import { guestPagesMax, guestTableElementsMax } from '../../../../protocol/wasm/guest.ts'
import { type FunctionType, type Module, readModule } from '../../../../protocol/wasm/module.ts'
import { declaredFunctions } from '../validation/validator.ts'
import { BlockTypes } from './block-types.ts'
import { ByteWriter } from './byte-writer.ts'
import { type MeterGlobals, meterExports, meterGlobals, meterGlobalsFrom } from './meter-state.ts'
import { OptimisticBody } from './optimistic-body.ts'
import { rewriteModule, startExport } from './rewrite-module.ts'
import { safepointBody } from './safepoint.ts'

/** Most parameters and results V8 lets a function have. */
const valuesMax = 1000

export interface OptimisticModule {
  wasm: Uint8Array
  /** Some function observes NaNs: a run that does not succeed must be repeated. */
  observesNan: boolean
}

/**
 * Validates a module and rewrites it for speed; see {@link OptimisticBody}. A run of it that succeeds did and cost
 * what the rules say.
 *
 * @returns null for a module that has to be metered exactly from the start.
 * @throws {@link WasmError} for a module that is not valid.
 */
export function meterOptimistically(wasm: Uint8Array): OptimisticModule | null {
  const module = readModule(wasm)
  const declared = declaredFunctions(module)
  if (!fits(module, declared)) return null
  const { types, functions, importedFunctions } = module
  const countedType = (type: number): number => types.length + type
  const blockTypes = new BlockTypes(2 * types.length)
  const globals = meterGlobalsFrom(module.globals.length)
  const safepoint = functions.length
  let observesNan = false
  const bodies = module.bodies.map((reader, index) => {
    const type = functions[importedFunctions + index]!
    const request = { wasm, module, type, reader, declared, blockTypes, globals, safepoint }
    const body = new OptimisticBody(request, { importedFunctions, countedType })
    const written = body.write()
    observesNan ||= body.observesNan
    return written
  })

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

/** Functions of the host keep their types, so none may be where functions of the guest are. */
function fits({ types, importedFunctions }: Module, declared: ReadonlySet<number>): boolean {
  for (const index of declared) if (index < importedFunctions) return false
  return types.every(({ params, results }) => params.length + 2 <= valuesMax && results.length < valuesMax)
}

/** A function the host calls: it takes gas and units from the globals, and leaves the gas there. */
function entryBody({ params }: FunctionType, target: number, { fuel, budget }: MeterGlobals): Uint8Array {
  const body = new ByteWriter()
  body.byte(0)
  for (let index = 0; index < params.length; index++) {
    body.byte(0x20)
    body.u32(index)
  }
  body.byte(0x23)
  body.u32(fuel)
  body.byte(0x23)
  body.u32(budget)
  body.byte(0x10)
  body.u32(target)
  body.byte(0x24)
  body.u32(fuel)
  body.byte(0x0b)
  return body.view()
}
