/** Waits for an answer no longer than `limitMs`. @throws When the time is up, or what the answer itself throws. */
export async function inTime<T>(answer: PromiseLike<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs)
  })
  const asked = Promise.resolve(answer)
  // One that fails after its time has nobody to tell.
  asked.catch(() => {})
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
