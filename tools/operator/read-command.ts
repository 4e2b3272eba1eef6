import { readArguments } from '../../scripts/command/arguments.ts'
import { callOf } from '../../scripts/command/call.ts'
import { UsageError } from '../../scripts/command/errors.ts'
import { readAmount } from '../amounts.ts'
import { readHub } from '../options/hub.ts'
import { commandOptions } from './command.ts'
import { commands } from './commands.ts'
import { helpOf, usage } from './usage.ts'

/** An amount as it was typed. */
export interface GivenAmount {
  readonly option: string
  readonly text: string
  readonly isNative: boolean
}

/** Finds the command and reads its options, or gives the help. @throws {@link UsageError} */
export function readCommand(args: readonly string[]) {
  const { values, positionals } = parse(args)
  const { help, hub, json = false, 'key-env': keyEnv, ...options } = values
  const beginning = commands.filter(({ words }) => begins(words, positionals))
  if (help || args.length === 0)
    return { help: positionals.length === 0 || beginning.length === 0 ? usage : helpOf(beginning) }
  const command = beginning.find(({ words }) => words.length === positionals.length)
  const wrong = (what: string) => new UsageError(`${what} ${seeHelpOf(positionals)}`)
  if (!command) throw wrong(explain(positionals))
  const allowed: readonly string[] = command.options ?? []
  const foreign = Object.keys(options).find((name) => !allowed.includes(name))
  if (foreign !== undefined) throw wrong(`"${positionals.join(' ')}" takes no --${foreign}.`)
  if (json && command.isText)
    throw wrong(`"${positionals.join(' ')}" takes no --json: it prints a text for another program.`)
  if (command.words[1] === 'genesis' && options.node === undefined)
    throw wrong('"validators genesis" needs --node, once for each validator.')
  const amounts = (['amount', 'eth-amount'] as const).flatMap((name): GivenAmount[] => {
    const text = options[name]
    return text === undefined ? [] : [{ option: `--${name}`, text, isNative: name === 'eth-amount' }]
  })
  // Which symbols are right, the network says.
  const inBaseUnits = ({ option, text }: GivenAmount): string => {
    try {
      return readAmount(option, text, null)
    } catch (error) {
      throw error instanceof UsageError ? wrong(error.message) : error
    }
  }
  for (const { option, ...given } of amounts)
    options[option.slice(2) as 'amount' | 'eth-amount'] = inBaseUnits({ option, ...given })
  const given = positionals.filter((_, index) => command.words[index]?.startsWith('<'))
  return {
    call: command.call(given, options),
    isPaged: command.isPaged ?? false,
    isWatched: command.isWatched ?? false,
    /** Their symbol has to be that of the network's token, or of the coin of its chain. */
    amounts,
    keyEnv,
    json,
    hub: readHub(hub),
  }
}

/** A sentence that names the help of the command that was meant, as far as it can be told. */
function seeHelpOf(given: readonly string[]): string {
  const known = given.slice(0, knownLength(given))
  const names = known.filter((word, index) => commands.some(({ words }) => words[index] === word))
  return `See ${callOf('operator', [...names, '--help'].join(' '))}`
}

/** How many of the words begin a command. */
const knownLength = (given: readonly string[]): number =>
  given.findLastIndex((_, index) => commands.some(({ words }) => begins(words, given.slice(0, index + 1)))) +
  1

/** Whether a command with these words can begin with the given ones. */
const begins = (words: readonly string[], given: readonly string[]): boolean =>
  given.every((word, index) => words[index]?.startsWith('<') || word === words[index])

/** Why words are not a command: the first word that fits no command that begins like them, or that they end too early. */
function explain(given: readonly string[]): string {
  const known = knownLength(given)
  const sense = given.slice(0, known)
  const rest = given[known]
  if (sense.length === 0) return rest === undefined ? 'Name a command.' : `There is no command "${rest}".`
  const next = commands
    .filter(({ words }) => begins(words, sense))
    .flatMap(({ words }) => words[sense.length] ?? [])
  const [placeholder] = next.filter((word) => word.startsWith('<'))
  if (next.length === 0) return `"${sense.join(' ')}" takes no "${rest}".`
  if (placeholder !== undefined) return `"${sense.join(' ')}" needs ${placeholder}.`
  const choice = [...new Set(next)].join(', ')
  return `"${sense.join(' ')}" needs one of ${choice}${rest === undefined ? '' : `, not "${rest}"`}.`
}

const parse = (args: readonly string[]) =>
  readArguments(
    {
      args: [...args],
      allowPositionals: true,
      options: {
        ...commandOptions,
        'key-env': { type: 'string' },
        hub: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    },
    seeHelpOf(args),
  )
