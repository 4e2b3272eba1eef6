import { turn } from './lib/later.ts'

/** What SvelteKit does first is a task apart from drawing the screen. */
export async function init(): Promise<void> {
  await turn()
}
