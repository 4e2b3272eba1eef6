import type { CallableValidator } from '../stores/validators.ts'

/** Calls of one invocation that wait at once. The platform allows six connections, and database and files need one. */
export const waitingMax = 5
/** The longest that an answer is waited for. */
export const answerMsMax = 10_000
/** How long each validator has in the first turn, unless it took longer last time; and in those after it, where it was silent. */
const firstTurnMs = { min: 250, max: 2_000 }
const laterTurnsMs = [600, 2_500, answerMsMax]
/** After this many calls in a row without an answer, a validator is asked last for a minute. */
const failuresMax = 3
const lastForMs = 60_000
/** The wait for each validator when all are told something that they can also ask their peers for. */
const tellMsMax = 2_000

interface Standing {
  failures: number
  failedAtMs: number
  answerMs: number
}

/** One call of a validator, which has `answerMs` from now on. @returns Whether it answered, if only to refuse. */
type Call = (validator: CallableValidator, answerMs: number) => Promise<boolean>

/** Calls validators a few at a time, and remembers how each answered. One for each isolate: what it knows may be lost. */
export class ValidatorCalls {
  readonly #standings = new Map<string, Standing>()
  /** When each last answered anything over its link, in milliseconds. */
  readonly #linkedAtMs = new Map<string, number>()
  readonly #random: () => number

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /**
   * Asks validators, `atOnce` at a time, in random order. Each has a short turn; those that were silent have a longer one when all had theirs,
   * so validators that hang keep no other from being asked.
   * @param over - Ends the asking: enough of them have answered.
   * @param atOnce - Fewer than the default if other validators are called at the same time.
   */
  async ask(
    validators: readonly CallableValidator[],
    call: Call,
    over: AbortSignal,
    atOnce = waitingMax,
  ): Promise<void> {
    const { promise: isOver, resolve } = Promise.withResolvers<void>()
    over.addEventListener('abort', () => resolve())
    const noted: Call = async (validator, limitMs) => {
      const startedMs = Date.now()
      const hasAnswered = await call(validator, limitMs)
      if (!over.aborted) this.#note(validator, hasAnswered, Date.now() - startedMs)
      return hasAnswered
    }
    const askAll = async () => {
      const turns = [this.#turnOf, ...laterTurnsMs.map((ms) => () => ms)]
      let silent: readonly CallableValidator[] = this.#inOrder(validators)
      // If all fit at once, each gets only the longest turn.
      for (const turn of validators.length > atOnce ? turns : turns.slice(-1))
        silent = await inTurns(silent, noted, turn, atOnce, over)
    }
    await Promise.race([askAll(), isOver])
  }

  /** Tells validators something that they can also ask their peers for: each is called once. */
  async tell(validators: readonly CallableValidator[], call: Call): Promise<void> {
    await inTurns(this.#inOrder(validators), call, () => tellMsMax)
  }

  /** A validator answered over its link. */
  heardOnLink(publicKey: string): void {
    this.#linkedAtMs.set(publicKey, Date.now())
  }

  /** Whether the validator answered anything over its link in the last `ms` milliseconds. */
  isHeardOnLink({ publicKey }: Pick<CallableValidator, 'publicKey'>, ms: number): boolean {
    return Date.now() - (this.#linkedAtMs.get(publicKey) ?? Number.NEGATIVE_INFINITY) <= ms
  }

  #note({ publicKey }: CallableValidator, hasAnswered: boolean, ms: number): void {
    const { failures = 0, answerMs = 0 } = this.#standings.get(publicKey) ?? {}
    const standing = hasAnswered ? { failures: 0, answerMs: ms } : { failures: failures + 1, answerMs }
    this.#standings.set(publicKey, { ...standing, failedAtMs: Date.now() })
  }

  readonly #turnOf = ({ publicKey }: CallableValidator): number => {
    const lastMs = this.#standings.get(publicKey)?.answerMs ?? 0
    return Math.min(firstTurnMs.max, Math.max(firstTurnMs.min, 2 * lastMs))
  }

  #isFailing({ publicKey }: CallableValidator): boolean {
    const { failures = 0, failedAtMs = 0 } = this.#standings.get(publicKey) ?? {}
    return failures >= failuresMax && Date.now() - failedAtMs < lastForMs
  }

  /** In random order, those that fail last. */
  #inOrder(validators: readonly CallableValidator[]): CallableValidator[] {
    const drawn = validators.map((validator) => ({
      validator,
      place: Number(this.#isFailing(validator)) + this.#random(),
    }))
    return drawn.toSorted((one, other) => one.place - other.place).map(({ validator }) => validator)
  }
}

/**
 * Calls validators, `atOnce` at a time. @param over - Ends the asking. @returns Those that did not answer in their time; a validator that
 * refused its connection at once is not among them.
 */
export async function inTurns(
  validators: readonly CallableValidator[],
  call: (validator: CallableValidator, answerMs: number) => Promise<unknown>,
  turnOf: (validator: CallableValidator) => number = () => answerMsMax,
  atOnce = waitingMax,
  over?: AbortSignal,
): Promise<CallableValidator[]> {
  const silent: CallableValidator[] = []
  const next = validators.values()
  const callOneByOne = async () => {
    for (const validator of next) {
      if (over?.aborted) return
      const [limitMs, startedMs] = [turnOf(validator), Date.now()]
      const hasAnswered = await call(validator, limitMs)
      if (!hasAnswered && Date.now() - startedMs >= limitMs) silent.push(validator)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, callOneByOne))
  return silent
}
