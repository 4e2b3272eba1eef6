import { NodeFault } from '../execution.ts'
import { traps } from '../host/instance.ts'

const trapKinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/unreachable/, traps.unreachable],
  [/by zero/, traps.divideByZero],
  [/divide result unrepresentable/, traps.overflow],
  [/float unrepresentable/, traps.conversion],
  [/memory access|data segment/, traps.memory],
  [/table|element segment/, traps.table],
  [/signature|null function|null reference|dereferencing/, traps.indirect],
]

/** Engines word their traps each in their own way, and some do not tell two of them apart. */
export function trapKind(message: string): string {
  const known = trapKinds.find(([pattern]) => pattern.test(message))
  if (known === undefined) throw new NodeFault(`the engine trapped in a way that is not known: ${message}`)
  return known[1]
}
