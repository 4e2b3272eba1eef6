declare module 'vitest' {
  interface TaskMeta {
    /** The names of the hub's answers in this test and in its preparation. */
    seenAnswers?: string[]
  }
}

const seen = new Set<string>()

/** Notes an answer that the document names. */
export const noteAnswer = (name: string): void => {
  seen.add(name)
}

/** The names that were noted since the last call. Files run one after the other in one isolate. */
export function takeSeenAnswers(): string[] {
  const names = [...seen]
  seen.clear()
  return names
}
