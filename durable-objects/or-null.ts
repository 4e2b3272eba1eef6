type ErrorClass = abstract new (...given: never[]) => Error

/** The promised value; null if the promise fails with an error of one of these classes. */
export const orNull = <T>(promised: Promise<T>, ...classes: ErrorClass[]): Promise<T | null> =>
  promised.catch((error: unknown) => {
    if (classes.some((one) => error instanceof one)) return null
    throw error
  })
