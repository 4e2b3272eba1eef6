import type { Json, VectorCase, VectorSet } from './format.ts'

/**
 * Answers one case of a topic. A refusal is an error with a `code`, or the answer `{error: code}` itself. The set gives
 * the profile and, for cases that start from another case, the other cases; the case gives what its input leaves to choice.
 */
export type TopicRunner = (input: Json, set: VectorSet, one: VectorCase) => Json
