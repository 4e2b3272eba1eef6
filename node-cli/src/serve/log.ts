import { printable } from '../cli/output.ts'
import { writeError } from '../cli/standard-streams.ts'
import { type LogFormat, type LogLevel, logLevels } from './flags.ts'

/** The fields of a line beside its message. A line about a round has its `round_id`. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** The log of a node, a line for each event. */
export interface Log extends Record<LogLevel, (message: string, fields?: LogFields) => void> {
  /** The same log with these fields on every line. */
  readonly with: (fields: LogFields) => Log
  /** The last errors, the newest first. */
  readonly lastErrors: () => readonly LoggedError[]
}

export interface LoggedError {
  readonly time: string
  readonly message: string
}

/** Errors that are kept for `GET /status`. */
const errorsKept = 10

/** Characters of one text of a line: others may have chosen it. */
const textMax = 1024

export function createLog(format: LogFormat, level: LogLevel, write = writeError): Log {
  const shown = logLevels.indexOf(level)
  const errors: LoggedError[] = []
  const line = format === 'json' ? jsonLine : prettyLine
  const logWith = (common: LogFields): Log => {
    const at = (of: LogLevel) => (message: string, fields?: LogFields) => {
      const time = new Date().toISOString()
      if (of === 'error') {
        errors.unshift({ time, message: cut(message) })
        errors.length = Math.min(errors.length, errorsKept)
      }
      if (logLevels.indexOf(of) <= shown) write(`${line(time, of, cut(message), { ...common, ...fields })}\n`)
    }
    return {
      error: at('error'),
      warn: at('warn'),
      info: at('info'),
      debug: at('debug'),
      with: (fields) => logWith({ ...common, ...fields }),
      lastErrors: () => errors,
    }
  }
  return logWith({})
}

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const short = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? cut(value) : value,
  ])
  return JSON.stringify({ time, level, message, ...Object.fromEntries(short) })
}

function prettyLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? cut(value) : value}`)
  return printable([time, level.toUpperCase().padEnd(5), message, ...shown].join(' '))
}

const cut = (text: string): string => (text.length <= textMax ? text : `${text.slice(0, textMax)}…`)
