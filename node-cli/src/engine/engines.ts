import { auto } from './auto.ts'
import { executeOn } from './call.ts'
import type { EngineChoice } from './engine-name.ts'
import type { ExecutionRequest, ExecutionResult, Surroundings } from './execution.ts'
import type { Engine } from './instance.ts'
import { pulley } from './interpreter/pulley.ts'
import { native } from './native.ts'

const engines: Readonly<Record<EngineChoice, Engine>> = { auto, native, pulley }

/**
 * Runs one function of a module on an engine of choice. Call it in a thread whose stack outlasts the guest's: see
 * {@link EngineThread}.
 *
 * @throws {@link NodeFault} for what is no answer of the guest.
 */
export const executeWith = (
  choice: EngineChoice,
  request: ExecutionRequest,
  surroundings: Surroundings,
): ExecutionResult => executeOn(engines[choice], request, surroundings)
