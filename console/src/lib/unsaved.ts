/** Parts of the screen with something that is lost when they go: what to ask first, or null while they have nothing. */
const parts = new Set<() => string | null>()

/** @returns Ends it. */
export function keepsUnsaved(question: () => string | null): () => void {
  parts.add(question)
  return () => void parts.delete(question)
}

/** Whether all parts may go, of which a person is asked where something would be lost. */
export const mayGo = (): boolean =>
  [...parts].every((part) => {
    const question = part()
    return question === null || confirm(question)
  })
