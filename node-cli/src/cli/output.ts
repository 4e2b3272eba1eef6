import { writeError, writeOutput } from './standard-streams.ts'

/** Characters that a terminal obeys and does not show: control characters, line ends, and marks of text direction. */
const steering = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** The same in text of several lines, where line feeds and tabs may stay. */
const steeringInLines = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

const asEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Characters of one line that are shown. */
const lineMax = 4096
/** Lines of what another program says that are shown. */
const linesMax = 500

/** Text of anyone's as one line for a terminal: with escapes for what would steer it, and cut when it is long. */
export const printable = (text: string): string => cut(text).replace(steering, asEscape)

const cut = (line: string): string =>
  line.length <= lineMax ? line : `${line.slice(0, lineMax)}… (${line.length - lineMax} more characters)`

/** JSON is read back as it was: inside its texts an escape means the character. */
const jsonText = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(steeringInLines, asEscape)

/** Writes the result of a command. Standard output carries it and nothing else. */
export function printJson(value: unknown): void {
  writeOutput(`${jsonText(value, 2)}\n`)
}

/** The same in one line: a result of several. */
export function printJsonLine(value: unknown): void {
  writeOutput(`${jsonText(value)}\n`)
}

/** The same on standard error, in one line, where standard output carries something else. */
export function tellJson(value: unknown): void {
  writeError(`${jsonText(value)}\n`)
}

/** Says something on standard error, in one line. */
export function tell(message: string): void {
  writeError(`${printable(message)}\n`)
}

/** Passes on what another program says, line by line. */
export function tellLines(text: string): void {
  const lines = text.split(/\r?\n/)
  for (const line of lines.slice(0, linesMax)) writeError(`${cut(line).replace(steeringInLines, asEscape)}\n`)
  if (lines.length > linesMax) tell(`… (${lines.length - linesMax} more lines)`)
}
