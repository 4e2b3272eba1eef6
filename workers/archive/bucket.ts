import { inTime } from '../deadline.ts'
import { unavailable } from '../errors.ts'

const answerMsMax = 30_000

/** Asks the bucket of rounds. @throws {@link ApiError} 503 `unavailable` where it fails or is not in time. */
export async function askBucket<T>(answer: Promise<T>): Promise<T> {
  try {
    return await inTime(answer, answerMsMax)
  } catch (error) {
    throw unavailable('The storage of archives', error)
  }
}
