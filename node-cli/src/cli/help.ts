import type { ArgsDef } from 'citty'
import { flagsOf } from './arguments.ts'
import type { Command, Commands } from './command.ts'

/** The help of one command. */
export function commandHelp(name: string, description: string, command: Command): string {
  const { args, environment = [], exits, examples } = command
  return sections([
    [description, []],
    ['Usage', [commandUsage(name, command)]],
    ['Arguments', table(argumentRows(args))],
    ['Options', table([...optionRows(args), ['-h, --help', 'Show this help']])],
    ['Environment', table(environment)],
    ['Exit codes', exits === undefined ? [] : table(exitRows(exits))],
    ['Examples', examples.flatMap(([line, effect]) => [`# ${effect}`, `nodectl ${line}`])],
  ])
}

/** The meaning of each exit code; the last two are the same for all commands. */
export const exitRows = ([done, failed]: NonNullable<Command['exits']>): [string, string][] => [
  ['0', done],
  ['1', failed],
  ['2', 'wrong usage'],
  ['70', 'a bug of nodectl'],
]

/** First commands of a new user. */
export const toolExamples = [
  'nodectl compile hello.ts',
  'nodectl run hello.hbc greet --input Ada',
  'nodectl keygen --data-dir ./node',
  'nodectl serve --data-dir ./node --hub-url https://hub.example',
]

export const toolDescription =
  'Compile, inspect and run deterministic modules, and serve a node of the network'

/** The help of the tool. */
export function toolHelp(commands: Commands): string {
  return sections([
    [toolDescription, []],
    ['Usage', ['nodectl <command> [options]']],
    ['Commands', table(Object.entries(commands).map(([name, { description }]) => [name, description]))],
    [
      'Options',
      table([
        ['-h, --help', 'Show this help, or that of a command'],
        ['-v, --version', 'Show the version'],
      ]),
    ],
    ['Examples', [...toolExamples]],
  ])
}

/** How a command is called, in one line. */
export const commandUsage = (name: string, { args, rest }: Command): string =>
  [
    'nodectl',
    name,
    '[options]',
    ...Object.entries(args).flatMap(([flag, definition]) =>
      definition.type !== 'positional' && definition.required ? [`--${flag}${hintOf(definition)}`] : [],
    ),
    ...positionalsOf(args).map(([argument, { required }]) => {
      const text = `<${argument.toUpperCase()}>`
      return required === false ? `[${text}]` : text
    }),
    ...(rest === undefined ? [] : [`[-- ${rest}]`]),
  ].join(' ')

/** The arguments of a command, each with its description. */
export const argumentRows = (args: ArgsDef): [string, string][] =>
  positionalsOf(args).map(([argument, { description = '' }]) => [argument.toUpperCase(), description])

const positionalsOf = (args: ArgsDef) => Object.entries(args).filter(([, { type }]) => type === 'positional')

/** The options of a command, each with all its spellings and its description. */
export function optionRows(args: ArgsDef): [string, string][] {
  const spellings = new Map<string, string[]>()
  for (const [spelling, { name }] of flagsOf(args))
    spellings.set(name, [...(spellings.get(name) ?? []), spelling])
  return [...spellings].map(([name, all]) => {
    const definition = args[name]!
    const note =
      'default' in definition && definition.default !== undefined ? ` (default ${definition.default})` : ''
    return [
      all.sort((a, b) => a.length - b.length).join(', ') + hintOf(definition),
      `${definition.description ?? ''}${definition.required ? ' (required)' : note}`,
    ]
  })
}

const hintOf = (definition: ArgsDef[string]): string =>
  'valueHint' in definition && definition.valueHint ? ` <${definition.valueHint}>` : ''

const table = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = rows.reduce((widest, [left]) => Math.max(widest, left.length), 0)
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`)
}

/** The first title stands alone; sections without lines are left out. */
const sections = ([first, ...rest]: [title: string, lines: string[]][]): string =>
  [
    first?.[0],
    ...rest
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n')),
  ].join('\n\n')
