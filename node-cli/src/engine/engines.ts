import type { EngineChoice } from './engine-name.ts'
import type { Engine } from './host/instance.ts'
import { interpreter } from './interpreter/interpreter.ts'
import { V8LimitExceeded } from './metering/v8-limit.ts'
import { native } from './native/native.ts'

/**
 * V8, and the interpreter for a module that keeps the rules and is beyond one of V8's own limits, or beyond what it may take to
 * compile. The rules do not repeat those limits: they differ from version to version, and nodes of all versions must agree.
 */
const auto: Engine = {
  instantiate(...parameters) {
    try {
      // biome-ignore lint/plugin/noSpreadArguments: Its own parameters, passed on.
      return native.instantiate(...parameters)
    } catch (error) {
      if (!(error instanceof V8LimitExceeded)) throw error
      // biome-ignore lint/plugin/noSpreadArguments: Its own parameters, passed on.
      return interpreter.instantiate(...parameters)
    }
  },
}

/** The engines by what runs ask for. */
export const engines: Readonly<Record<EngineChoice, Engine>> = { auto, native, pulley: interpreter }
