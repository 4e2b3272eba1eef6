declare module 'vitest' {
  interface TaskMeta {
    /** What the hub answered in this test, and in what prepared it. */
    seenAnswers?: string[]
  }
}

const seen = new Set<string>()

/** Notes an answer that the document names. */
export const noteAnswer = (name: string): void => {
  seen.add(name)
}

/** What was noted since the last time. Files run one after the other in one isolate. */
export function takeSeenAnswers(): string[] {
  const names = [...seen]
  seen.clear()
  return names
}
