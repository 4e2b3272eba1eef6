import { tableOf } from './table.ts'

export interface Watching {
  /** Reads the current state of the watched record. */
  readonly read: () => Promise<unknown>
  /** Waits for the time of the next look; false when no look follows. */
  readonly wait: () => Promise<boolean>
  readonly write: (text: string) => void
  readonly time: () => Date
  /** A terminal shows each look in the place of the one before; a file has those that differ, one after another. */
  readonly isTerminal: boolean
  readonly json: boolean
}

const clearScreen = '\x1b[H\x1b[2J'

/** Shows something again and again. A hub that is away is what is shown, and is asked again. */
export async function watch({ read, wait, write, time, isTerminal, json }: Watching): Promise<void> {
  let shown = ''
  do {
    const answer = await read().catch(({ message }: Error) => ({ status: 'away', problem: message }))
    const { time: _, ...rest } = answer as Record<string, unknown>
    const text = json ? JSON.stringify(rest) : tableOf(rest)
    if (isTerminal && !json)
      write(`${clearScreen}${time().toISOString().slice(11, 19)} UTC, every 5 s, Ctrl-C ends it\n\n${text}\n`)
    else if (text !== shown) write(json ? `${text}\n` : `${time().toISOString()}\n${text}\n\n`)
    shown = text
  } while (await wait())
}
