/**
 * Every text of the console is in `texts/`, in one place for translators. The export is a namespace, not an
 * object: so the texts of a screen are loaded with it. Screens behind a sign-in import only their own texts.
 */
export * as texts from './texts/all.ts'
export { states, stateWord } from './texts/words.ts'
