import { modulesMax, type StateBook } from '../../durable-objects/direct-order/state-book.ts'
import type { DirectRequest } from '../../durable-objects/round/direct.ts'
import { isBytes32, isObject } from '../../protocol/encoding/index.ts'
import type { ExecutionVote } from '../../protocol/rounds/index.ts'
import type { CallableValidator } from '../stores/validators.ts'
import { askValidator, callValidator } from '../validators/ask-validator.ts'
import type { ValidatorSources } from '../validators/round-votes.ts'

type Sources = Pick<ValidatorSources, 'rules' | 'now'>

interface Asking {
  book: StateBook | null
  answerMsMax: number
  over: AbortSignal
}

/** A guess of the time that a validator that was away needs to fetch the storage of a module. */
const catchUpMs = 300
/** The caller waits this long. A validator that has not heard the result by then is told in the next round. */
const tellMsMax = 1_500

const utf8 = new TextEncoder()

/**
 * Has a validator run a module and vote. If its storage is behind, it is told what was decided, and asked again until it has caught up.
 * @returns Its answer; null if it gave no vote in time.
 */
export async function askForVote(
  sources: Sources,
  url: string,
  { round, input }: DirectRequest,
  { book, answerMsMax, over }: Asking,
): Promise<unknown> {
  const { rules } = sources
  if (rules === null) return null
  const endsAt = performance.now() + answerMsMax
  const { module_address: module, function: name, gas_limit } = round
  const addresses = new Set(book?.touchedBy(module))
  for (;;) {
    const heads = book === null ? {} : { heads: book.heads(addresses) }
    const body = encoded({ module, function: name, input_b64: input, gas_limit, round, ...heads })
    const call = { path: '/execute', body, now: await sources.now(), answerMsMax: endsAt - performance.now() }
    const answer = await callValidator(url, call, rules)
    if (answer?.status === 200) return answer.value
    const behind = readBehind(answer?.value)
    if (book === null || behind.length === 0) return null
    const known = addresses.size
    // It looks at more modules than a call names: nobody could ever vote, and all others wait for this round.
    if (known >= modulesMax && behind.some((address) => !addresses.has(address))) return null
    for (const address of behind) if (addresses.size < modulesMax) addresses.add(address)
    for (const votes of book.certificates(behind)) await tell(sources, url, votes)
    // A validator that was not told of a module before has nothing to fetch for it.
    if (addresses.size === known) await new Promise((resolve) => setTimeout(resolve, catchUpMs))
    if (over.aborted || endsAt - performance.now() < catchUpMs) return null
  }
}

/**
 * Tells validators the result of a quorum, so that they write it. A validator that misses it learns it in the next round. No call outlasts
 * this: connections that are open would keep the result from being stored.
 */
export async function tellDecided(
  sources: Sources,
  validators: readonly Pick<CallableValidator, 'url'>[],
  votes: readonly ExecutionVote[],
): Promise<void> {
  if (votes[0]?.state === undefined) return
  await Promise.all(validators.map(({ url }) => tell(sources, url, votes, tellMsMax)))
}

async function tell(
  { rules, now }: Sources,
  url: string,
  votes: readonly ExecutionVote[],
  answerMsMax?: number,
): Promise<void> {
  if (rules === null) return
  const body = encoded({ votes })
  await askValidator(url, { path: '/consensus/direct-rounds', body, now: await now(), answerMsMax }, rules)
}

/** The modules whose storage is another one there than was agreed, as a validator says that does not vote. */
function readBehind(answer: unknown): string[] {
  const details = isObject(answer) && isObject(answer.details) ? answer.details : {}
  if (details.reason !== 'state_behind' || !Array.isArray(details.modules)) return []
  return details.modules
    .slice(0, modulesMax)
    .flatMap((one: unknown) => (isObject(one) && isBytes32(one.module_address) ? [one.module_address] : []))
}

const encoded = (value: object): Uint8Array => utf8.encode(JSON.stringify(value))
