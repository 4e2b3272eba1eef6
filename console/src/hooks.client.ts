import { turn } from './lib/later.ts'

/** Splits the start of SvelteKit from the drawing of the screen: each is a task of its own. */
export async function init(): Promise<void> {
  await turn()
}
