import type { FunctionType, Module } from '../../../../../protocol/wasm/module.ts'

/** A number for every signature: functions of equal ones can be called through each other's type. */
export function signatureIds({ types }: Module): number[] {
  const known = new Map<string, number>()
  return types.map(({ params, results }: FunctionType) => {
    const key = `${params.join()}>${results.join()}`
    const id = known.get(key) ?? known.size
    known.set(key, id)
    return id
  })
}
