import type { Json, VectorCase } from '../../protocol/vectors/format.ts'

export type { Json } from '../../protocol/vectors/format.ts'

/** The cases of a known-answer file that a test imports; no file can be read in workerd. */
export const knownAnswers = (file: object): VectorCase[] => {
  const { cases, common = {} } = file as { cases: VectorCase[]; common?: Json }
  return cases.map((one) => ({ ...one, input: { ...common, ...one.input } }))
}
