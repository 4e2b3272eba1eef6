import type { ArgsDef } from 'citty'
import { UsageError } from './errors.ts'
import { suggest } from './suggest.ts'

interface Flag {
  name: string
  takesValue: boolean
  /** Whether the empty text is a value like any other, as for an input; nothing has an empty name or number. */
  mayBeEmpty: boolean
}

/** The arguments before `--`, which may be options. */
export const optionsOf = (rawArgs: readonly string[]): readonly string[] =>
  rawArgs.slice(0, rawArgs.includes('--') ? rawArgs.indexOf('--') : undefined)

/** The spellings of every flag: `--name`, and `-x` or `--other` for its aliases. */
export function flagsOf(args: ArgsDef): Map<string, Flag> {
  const flags = new Map<string, Flag>()
  for (const [name, definition] of Object.entries(args)) {
    if (definition.type === 'positional') continue
    const aliases = 'alias' in definition ? [definition.alias ?? []].flat() : []
    for (const spelling of [name, ...aliases])
      flags.set(spelling.length === 1 ? `-${spelling}` : `--${spelling}`, {
        name,
        takesValue: definition.type !== 'boolean',
        mayBeEmpty: 'valueHint' in definition && definition.valueHint === 'TEXT',
      })
  }
  return flags
}

/**
 * Refuses what citty would let pass: unknown flags, flags given twice, missing or empty values, and arguments too many.
 *
 * @throws {@link UsageError}
 */
export function checkArguments(rawArgs: readonly string[], args: ArgsDef): void {
  const flags = flagsOf(args)
  const positionals = Object.entries(args).filter(([, { type }]) => type === 'positional')
  const seen = new Set<string>()
  const given: string[] = []
  for (let index = 0; index < rawArgs.length; index++) {
    const argument = rawArgs[index]!
    if (argument === '--') {
      for (const rest of rawArgs.slice(index + 1)) given.push(rest)
      break
    }
    // A lone dash is a value: standard input or output.
    if (!argument.startsWith('-') || argument === '-') {
      given.push(argument)
      continue
    }
    const [spelling = '', value] = argument.split(/=(.*)/s)
    const flag = flags.get(spelling)
    if (flag === undefined) throw unknown('flag', spelling, [...flags.keys()])
    if (seen.has(flag.name)) throw new UsageError(`--${flag.name} is given twice`)
    seen.add(flag.name)
    // citty takes what follows a letter as the value, with the sign.
    if (value !== undefined && !spelling.startsWith('--') && flag.takesValue)
      throw new UsageError(
        `${spelling} takes no =; write ${spelling} ${value || 'VALUE'} or ${asValue(flag, value || 'VALUE')}`,
      )
    if (!flag.takesValue && value !== undefined) throw new UsageError(`${spelling} takes no value`)
    if (value === '' && !flag.mayBeEmpty) throw new UsageError(`${spelling} must not be empty`)
    if (flag.takesValue && value === undefined) {
      index += 1
      const next = rawArgs[index]
      if (next === undefined) throw new UsageError(`${spelling} needs a value`)
      if (next === '' && !flag.mayBeEmpty) throw new UsageError(`${spelling} must not be empty`)
      // citty drops a value like --no-x, and what follows a flag left without value is another flag more often than not.
      if (next.startsWith('--') || flags.has(next.split('=', 1)[0]!))
        throw new UsageError(
          `${spelling} needs a value; write one that begins with - as ${asValue(flag, next)}`,
        )
    }
  }
  const required = positionals.filter(([, { required }]) => required !== false)
  if (given.length < required.length)
    throw new UsageError(`the argument ${required[given.length]![0].toUpperCase()} is missing`)
  const surplus = given[positionals.length]
  if (surplus !== undefined) {
    const meant = flags.has('--input') ? `; write an input as --input=${surplus}` : ''
    throw new UsageError(
      `${given.length} arguments are given, but the command takes ${positionals.length}${meant}`,
    )
  }
  const empty = given.indexOf('')
  if (empty >= 0)
    throw new UsageError(`the argument ${positionals[empty]![0].toUpperCase()} must not be empty`)
}

const asValue = ({ name }: Flag, value: string): string => `--${name}=${value}`

export function unknown(what: string, word: string, candidates: readonly string[]): UsageError {
  const meant = suggest(word, candidates)
  return new UsageError(`unknown ${what} ${word}${meant ? `; did you mean ${meant}?` : ''}`)
}
