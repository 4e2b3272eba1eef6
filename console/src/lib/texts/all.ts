import { shell } from './shell.ts'

export { home } from './home.ts'
export { project, projects, tryTexts as try } from './projects.ts'
export { epoch, node, receipt } from './records.ts'
export { outcome, ring, round, rounds, runFailed, steps, verify } from './rounds.ts'
export { faucet, status } from './status.ts'
export const { name, title, skip, menu, nav, theme, search, keys, copy } = shell
export const { live, connection, failures, more, newest, loading } = shell
