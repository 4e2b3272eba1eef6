/** Waits for an answer no longer than `limitMs`. @throws When the time is up, or what the answer itself throws. */
export async function inTime<T>(answer: PromiseLike<T>, limitMs: number): Promise<T> {
  const { late, stop } = startDeadline(limitMs)
  const asked = Promise.resolve(answer)
  // A call that fails after its deadline has no caller left.
  asked.catch(() => {})
  return Promise.race([asked, late]).finally(stop)
}

/** Waits for several answers, for all together no longer than `limitMs`. @returns Each, or why it is not there. */
export async function allInTime<T>(
  answers: readonly PromiseLike<T>[],
  limitMs: number,
): Promise<PromiseSettledResult<T>[]> {
  const { late, stop } = startDeadline(limitMs)
  return Promise.allSettled(answers.map((answer) => Promise.race([answer, late]))).finally(stop)
}

function startDeadline(limitMs: number) {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs)
  return { late, stop: () => clearTimeout(timer) }
}
