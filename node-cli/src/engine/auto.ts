import type { Engine } from './instance.ts'
import { pulley } from './interpreter/pulley.ts'
import { ModuleNotTaken, native } from './native.ts'

/**
 * V8, and the interpreter for a module that keeps the rules and is beyond one of V8's own limits. The rules do not
 * repeat those limits: they differ from version to version, and nodes of all versions must agree.
 */
export const auto: Engine = {
  instantiate(...parameters) {
    try {
      return native.instantiate(...parameters)
    } catch (error) {
      if (!(error instanceof ModuleNotTaken)) throw error
      return pulley.instantiate(...parameters)
    }
  },
}
