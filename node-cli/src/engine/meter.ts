import { guestPagesMax, guestTableElementsMax } from '../../../protocol/wasm/guest.ts'
import { type Module, readModule } from '../../../protocol/wasm/module.ts'
import { BlockTypes } from './block-types.ts'
import { checkpointBody } from './checkpoint.ts'
import { ExactBody } from './exact-body.ts'
import { rewriteModule } from './rewrite-module.ts'
import { declaredFunctions } from './validator.ts'

/** Exports of a metered module by which the host reads and sets its state. */
export const meterExports = {
  /** i64: gas used minus the limit, negative while some is left. */
  fuel: '__ndsr_fuel',
  /** i32: 0, or why the module stopped itself. */
  status: '__ndsr_status',
  /** i32: stack units left to the next function called. */
  budget: '__ndsr_budget',
} as const

/**
 * Why a module stopped itself; `again`: its run is of no worth and must be repeated with exact metering; `noMemory`: the
 * machine did not give what the rules allow.
 */
export const stopped = { outOfGas: 1, stackLimit: 2, again: 3, noMemory: 4 } as const

/** Indices of the globals that are appended. */
export interface MeterGlobals {
  fuel: number
  status: number
  budget: number
}

/**
 * Validates a module and writes it anew for a fast engine: it counts its gas exactly, keeps the stack limit, makes NaNs
 * canonical and cannot grow past the caps. What it does and costs is what the original does and costs after the stack
 * rewrite.
 *
 * @throws {@link WasmError} for a module that is not valid.
 */
export function meterModule(wasm: Uint8Array): Uint8Array {
  const module = readModule(wasm)
  const declared = declaredFunctions(module)
  const blockTypes = new BlockTypes(module.types.length)
  const first = module.globals.length
  const globals: MeterGlobals = { fuel: first, status: first + 1, budget: first + 2 }
  const checkpoint = module.functions.length
  const bodies = module.bodies.map((reader, index) => {
    const type = module.functions[module.importedFunctions + index]!
    return new ExactBody({ wasm, module, type, reader, declared, blockTypes, globals, checkpoint }).write()
  })
  const added = blockTypes.types()
  return rewriteModule(wasm, module, {
    bodies: [...bodies, checkpointBody(checkpoint, globals)],
    types: [...added, { params: [], results: [] }],
    functions: [...module.functions.slice(module.importedFunctions), module.types.length + added.length],
    globals: [
      { type: 'i64', initial: 0, exportName: meterExports.fuel },
      { type: 'i32', initial: 0, exportName: meterExports.status },
      { type: 'i32', initial: 0, exportName: meterExports.budget },
    ],
    caps: { pages: guestPagesMax, elements: guestTableElementsMax },
  })
}

/**
 * Bytes beyond which no access can ever be in bounds: what the module *states* as its maximum, whatever the caps make
 * of it.
 */
export function addressableBytes({ memories }: Module): number {
  const memory = memories[0]
  if (memory === undefined) return 0
  return memory.max === undefined ? 2 ** 32 : memory.max * 65_536
}

/** Most pages the memory can have: what the module states, up to the cap. */
export const pagesMax = ({ memories }: Module): number =>
  Math.min(memories[0]?.max ?? guestPagesMax, guestPagesMax)
