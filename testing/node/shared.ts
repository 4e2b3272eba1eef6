import { afterAll, beforeAll, onTestFinished } from 'vitest'

type End = () => unknown

/** The ends of what the tests of a file share, while that is made: one after the other, as hooks run. */
let ofFile: End[] | null = null

/** Ends something with its test, or with the last of those that share it. */
export const atEnd = (end: End): void => {
  if (ofFile === null) onTestFinished(async () => void (await end()))
  else ofFile.push(end)
}

/** Gives what tests share to a test. */
export interface Shared<T> {
  (): T
  /** Makes something in a test that the next ones find as well, and ends it with what they share. */
  readonly add: <Added>(make: () => Promise<Added>) => Promise<Added>
}

/** Makes a value that the tests beside it share, before the first of them. */
export function shared<T>(make: () => Promise<T>): Shared<T> {
  let made: T
  const ends: End[] = []
  const add: Shared<T>['add'] = (makeMore) => {
    ofFile = ends
    return makeMore().finally(() => {
      ofFile = null
    })
  }
  beforeAll(async () => {
    made = await add(make)
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return Object.assign(() => made, { add })
}
