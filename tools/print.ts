const width = 100
let steps = 0
let write: (text: string) => void = console.log

/** Has everything of this file printed on standard error, where standard output is for a result. */
export const printToStandardError = (): void => {
  write = console.error
}

/** Prints text as it is. */
export const printText = (text: string): void => write(text)

/** Begins a numbered step of what a command does, with the seconds since the command began. */
export const printStep = (title: string): void => {
  steps += 1
  write(`\n${steps}. ${title}  (${(performance.now() / 1000).toFixed(1)} s)`)
}

/** Prints lines below the step, each after a mark. */
export const print = (mark: string, text: string): void => {
  for (const line of text.split('\n')) write(`   ${mark} ${line}`)
}

/** Fits a text into a line; ids and hashes keep their ends, and of what lets its holder in only the beginning is left. */
export const shorten = (text: string): string => {
  const abbreviated = text
    .replace(/"(token|key|secret)":"([^"]{12})[^"]+"/g, '"$1":"$2…"')
    .replace(/0x([0-9a-f]{6})[0-9a-f]{30,}([0-9a-f]{4})/g, '0x$1…$2')
  return abbreviated.length <= width ? abbreviated : `${abbreviated.slice(0, width - 1)}…`
}

const stateMembers = [
  'listing_status',
  'status',
  'collateral',
  'payout_address',
  'release_at',
  'executable_at',
  'taken',
  'recovery',
  'tx_hash',
]

/** The members of a record that say its state, in one line. */
export const stateOf = (record: object): string =>
  Object.entries(record)
    .filter(([name, value]) => stateMembers.includes(name) && value !== null)
    .map(([name, value]) => `${name} ${name.endsWith('_at') ? utc(Number(value)) : value}`)
    .join(', ')

/** A time in Unix seconds, as people read it. */
export const utc = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
