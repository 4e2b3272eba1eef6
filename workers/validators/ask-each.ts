import type { CallableValidator } from '../stores/validators.ts'

/** Calls of one invocation that wait at once. The platform allows six connections, and database and files need one. */
export const waitingMax = 5
/** While others wait for their turn, a validator has at least this long, and twice as long as it took last. */
const turnMs = { min: 250, max: 2_000 }
/** After so many calls in a row without an answer, a validator is asked last for a minute. */
const failuresMax = 3
const lastForMs = 60_000
/** The longest that an answer is waited for. */
export const answerMsMax = 10_000

interface Standing {
  failures: number
  failedAtMs: number
  answerMs: number
}

/** What this isolate knows of the answers of each validator, by its key. */
const standings = new Map<string, Standing>()

/** One call of a validator, which has so many milliseconds from now on. @returns Whether it answered, if only to refuse. */
type Ask = (validator: CallableValidator, answerMs: number) => Promise<boolean>

/**
 * Asks validators, five at a time, in random order. Those that do not answer in their turn are asked once more when all had theirs, with the
 * whole time that an answer may take: validators that hang keep no other from being asked.
 * @param over - Ends the asking: enough of them have answered.
 */
export async function askEach(
  validators: readonly CallableValidator[],
  ask: Ask,
  over: AbortSignal,
): Promise<void> {
  const isOver = Promise.withResolvers<void>()
  over.addEventListener('abort', () => isOver.resolve())
  const askAll = async () => {
    const hasRoom = validators.length <= waitingMax
    const silent = await inTurns(inOrder(validators), ask, hasRoom ? () => answerMsMax : turnOf, over)
    if (!hasRoom) await inTurns(silent, ask, () => answerMsMax, over)
  }
  await Promise.race([askAll(), isOver.promise])
}

/** Tells validators something that they can also ask their peers for: each is called once. */
export async function tellEach(validators: readonly CallableValidator[], tell: Ask): Promise<void> {
  await inTurns(inOrder(validators), tell, () => turnMs.max, new AbortController().signal)
}

/** @returns Those that did not answer in their time. */
async function inTurns(
  validators: readonly CallableValidator[],
  ask: Ask,
  timeOf: (validator: CallableValidator) => number,
  over: AbortSignal,
): Promise<CallableValidator[]> {
  const silent: CallableValidator[] = []
  const next = validators.values()
  const askOneByOne = async () => {
    for (const validator of next) {
      if (over.aborted) return
      const [limitMs, startedMs] = [timeOf(validator), Date.now()]
      const hasAnswered = await ask(validator, limitMs)
      if (over.aborted) return
      noteAnswer(validator, hasAnswered, Date.now() - startedMs)
      if (!hasAnswered && Date.now() - startedMs >= limitMs) silent.push(validator)
    }
  }
  await Promise.all(Array.from({ length: waitingMax }, askOneByOne))
  return silent
}

function noteAnswer({ publicKey }: CallableValidator, hasAnswered: boolean, answerMs: number): void {
  const failures = hasAnswered ? 0 : (standings.get(publicKey)?.failures ?? 0) + 1
  const last = hasAnswered ? answerMs : (standings.get(publicKey)?.answerMs ?? 0)
  standings.set(publicKey, { failures, failedAtMs: Date.now(), answerMs: last })
}

const turnOf = ({ publicKey }: CallableValidator): number =>
  Math.min(turnMs.max, Math.max(turnMs.min, 2 * (standings.get(publicKey)?.answerMs ?? 0)))

function isFailing({ publicKey }: CallableValidator): boolean {
  const standing = standings.get(publicKey)
  return (
    standing !== undefined && standing.failures >= failuresMax && Date.now() - standing.failedAtMs < lastForMs
  )
}

/** In random order, those that fail last. */
function inOrder(validators: readonly CallableValidator[]): CallableValidator[] {
  const drawn = validators.map((validator) => ({
    validator,
    place: Number(isFailing(validator)) + Math.random(),
  }))
  return drawn.toSorted((one, other) => one.place - other.place).map(({ validator }) => validator)
}
