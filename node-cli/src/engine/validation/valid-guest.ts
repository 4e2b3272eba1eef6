import { checkGuest, type Guest, readGuest } from '../../../../protocol/wasm/guest.ts'
import { WasmError } from '../../../../protocol/wasm/reader.ts'
import { validateBodies } from './validator.ts'

/**
 * Reads a module that keeps the rules for guests and is valid; each body is walked once, and can be read again.
 *
 * @throws {@link WasmError}
 */
export const readValidGuest = (wasm: Uint8Array): Guest =>
  rulesFirst(wasm, () => {
    const guest = readGuest(wasm)
    validateBodies(guest.module)
    return guest
  })

/**
 * Does work that validates the bodies of a module. Validation holds all that the rules for guests ask of a body, so a
 * module that passes needs no other walk; of one that does not, what the rules say comes first, whichever function the
 * work came to first.
 *
 * @throws {@link WasmError}
 */
export function rulesFirst<T>(wasm: Uint8Array, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof WasmError) checkGuest(wasm)
    throw error
  }
}
