import { afterAll, beforeAll, onTestFinished } from 'vitest'

type End = () => unknown

/** The ends of the value that the tests of a file share, while it is made: one value at a time, as hooks run one by one. */
let ofFile: End[] | null = null

/** Ends something with its test, or with the last of the tests that share it. */
export const atEnd = (end: End): void => {
  if (ofFile === null) onTestFinished(async () => void (await end()))
  else ofFile.push(end)
}

/** Gives a test the value that tests share. */
export interface Shared<T> {
  (): T
  /** Makes something in a test that later tests find as well, and ends it with the shared value. */
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
