/**
 * Answers that the document names and no test can provoke, as `getModule 404 not_found`, each with the reason. An excuse
 * is for an answer that nobody can provoke from outside, never for one that is only hard to provoke.
 */
export const excusedAnswers: Readonly<Record<string, string>> = {}
