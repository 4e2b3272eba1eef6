import { guestPagesMax, guestTableElementsMax } from '../../../../protocol/wasm/guest.ts'
import { readModule } from '../../../../protocol/wasm/module.ts'
import { declaredFunctions } from '../validation/validator.ts'
import { BlockTypes } from './block-types.ts'
import { ExactBody } from './exact-body.ts'
import { meterGlobals, meterGlobalsFrom } from './meter-state.ts'
import { rewriteModule } from './rewrite-module.ts'
import { safepointBody } from './safepoint.ts'

/**
 * Validates a module and rewrites it for a fast engine: it counts its gas exactly, keeps the stack limit, makes NaNs
 * canonical and cannot grow past the caps. Its results and gas are those of the original after the stack rewrite.
 *
 * @throws {@link WasmError} for a module that is not valid.
 */
export function meterExactly(wasm: Uint8Array): Uint8Array {
  const module = readModule(wasm)
  const declared = declaredFunctions(module)
  const blockTypes = new BlockTypes(module.types.length)
  const globals = meterGlobalsFrom(module.globals.length)
  const safepoint = module.functions.length
  const bodies = module.bodies.map((reader, index) => {
    const type = module.functions[module.importedFunctions + index]!
    return new ExactBody({ wasm, module, type, reader, declared, blockTypes, globals, safepoint }).write()
  })
  const added = blockTypes.types()
  return rewriteModule(wasm, module, {
    bodies: [...bodies, safepointBody(safepoint, globals)],
    types: [...added, { params: [], results: [] }],
    functions: [...module.functions.slice(module.importedFunctions), module.types.length + added.length],
    globals: meterGlobals,
    caps: { pages: guestPagesMax, elements: guestTableElementsMax },
  })
}
