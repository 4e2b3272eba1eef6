import { format } from 'node:util'

const levels = ['debug', 'info', 'log', 'warn', 'error'] as const
/** A test that logs more shows the first of it. */
const linesMax = 1_000

const shown = console
let lines: string[] = []

/**
 * Keeps what is logged. The runner's own console asks the Node side to take each line and waits for its answer before a file
 * ends; a line that an object logs is only sent with the next message of the runner, so one that comes after the last message
 * has the whole run wait for ever (cloudflare/workers-sdk#15719).
 */
const quiet = Object.create(shown) as Console
for (const level of levels)
  quiet[level] = (...values: unknown[]) => {
    if (lines.length < linesMax) lines.push(format(...values))
  }
Object.assign(globalThis, { console: quiet })

/** The lines that were logged since the last call. */
export function takeLogged(): string[] {
  const taken = lines
  lines = []
  return taken
}

/** Shows lines, whichever test runs. */
export const showLogged = (logged: readonly string[]): void => {
  for (const line of logged) shown.log(line)
}
