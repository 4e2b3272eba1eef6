import { afterAll, beforeAll, onTestFinished } from 'vitest'

type End = () => unknown

/** The ends of what the tests of a file share, while that is made: one after the other, as hooks run. */
let ofFile: End[] | null = null

/** Ends something with its test, or with the last of those that share it. */
export const atEnd = (end: End): void => {
  if (ofFile === null) onTestFinished(async () => void (await end()))
  else ofFile.push(end)
}

/** What the tests beside it share, made before the first of them. @returns What gives it to a test. */
export function shared<T>(make: () => Promise<T>): () => T {
  let made: T
  const ends: End[] = []
  beforeAll(async () => {
    ofFile = ends
    made = await make().finally(() => {
      ofFile = null
    })
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => made
}
