/**
 * Every text of the console is in `texts/`, in one place for translators. A namespace, and no object: so the texts of a
 * screen are loaded with the screen. Those behind a sign-in import theirs alone.
 */
export * as texts from './texts/all.ts'
export { states, stateWord } from './texts/words.ts'
