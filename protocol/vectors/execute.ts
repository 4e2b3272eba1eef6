import { agrees } from './compare.ts'
import type { Json, VectorCase, VectorSet } from './format.ts'
import { topics } from './topics.ts'

/** A case whose answer differs, with the answer that was given instead. */
export interface Difference {
  readonly name: string
  readonly expected: Json
  readonly got: Json
}

/** The result of one topic. `implemented` is false if the topic has no runner; then no case passes. */
export interface TopicResult {
  readonly topic: string
  readonly implemented: boolean
  readonly total: number
  readonly differences: readonly Difference[]
}

/** Runs all cases of a topic. */
export function executeVectors(set: VectorSet): TopicResult {
  const implemented = Object.hasOwn(topics, set.topic)
  const differences = set.cases.flatMap((one) => {
    const got = implemented ? executeCase(set, one) : 'topic not implemented'
    return agrees(one.output, got) ? [] : [{ name: one.name, expected: one.output, got }]
  })
  return { topic: set.topic, implemented, total: set.cases.length, differences }
}

/** The answer to one case; a refusal with a code is the answer `{error: code}`. */
export function executeCase(set: VectorSet, one: VectorCase): Json {
  try {
    return topics[set.topic]!(one.input, set, one)
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    if (typeof code === 'string') return { error: code }
    return { error: `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` }
  }
}
