import type { Answer } from './answer.ts'

interface Kept {
  answer: Answer
  untilMs: number
}

const utf8 = new TextEncoder()
const kept = new WeakMap<object, Map<object, Kept>>()

/**
 * The answer this isolate made before, or the one `make` makes now. Only finished answers are shared: a request cannot wait for another's.
 * @param hub The services that the answer is made from; those of tests differ. @param name Of the call, by identity.
 */
export async function keptAnswer(
  hub: object,
  name: object,
  keptSeconds: number,
  make: () => Promise<Answer>,
): Promise<Answer> {
  const answers = kept.get(hub) ?? new Map<object, Kept>()
  kept.set(hub, answers)
  const known = answers.get(name)
  if (known !== undefined && Date.now() < known.untilMs) return known.answer
  const made = await make()
  // A text would be encoded again for everyone who gets it.
  const answer = typeof made.body === 'string' ? { ...made, body: utf8.encode(made.body) } : made
  if (answer.status === 200) answers.set(name, { answer, untilMs: Date.now() + 1000 * keptSeconds })
  return answer
}
