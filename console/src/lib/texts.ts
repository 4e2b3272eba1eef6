/** Every text of the console is in `texts/`, in one place for translators. Screens behind a sign-in import theirs alone. */

import { home } from './texts/home.ts'
import { project, projects, tryTexts } from './texts/projects.ts'
import { epoch, node, receipt } from './texts/records.ts'
import { ring, round, rounds, steps, verify } from './texts/rounds.ts'
import { shell } from './texts/shell.ts'
import { faucet, status } from './texts/status.ts'

export { states, stateWord } from './texts/words.ts'

export const texts = {
  ...shell,
  home,
  ring,
  steps,
  rounds,
  round,
  verify,
  projects,
  project,
  try: tryTexts,
  status,
  faucet,
  receipt,
  node,
  epoch,
}
