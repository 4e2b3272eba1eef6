/**
 * Answers that the document names and no test can provoke, as `getModule 404 not_found`, each with the reason. An excuse
 * is for what cannot be brought about from outside, never for what is only hard to bring about.
 */
export const excusedAnswers: Readonly<Record<string, string>> = {}
