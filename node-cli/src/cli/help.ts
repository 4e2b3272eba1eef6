import type { ArgsDef } from 'citty'
import { flagsOf } from './arguments.ts'
import type { Command, CommandEntry } from './command.ts'

/** The help of one command. */
export function commandHelp(name: string, command: Command): string {
  const { definition, environment = [], exits = [], examples } = command
  const { args } = definition
  const description = (definition.meta as { description: string }).description
  const positionals = Object.entries(args).filter(([, { type }]) => type === 'positional')
  const usage = [
    'nodectl',
    name,
    '[options]',
    ...Object.entries(args).flatMap(([flag, definition]) =>
      definition.type !== 'positional' && definition.required ? [`--${flag}${hintOf(definition)}`] : [],
    ),
    ...positionals.map(([argument]) => `<${argument.toUpperCase()}>`),
  ]
  return sections([
    [description, []],
    ['Usage', [usage.join(' ')]],
    [
      'Arguments',
      table(positionals.map(([argument, { description: text = '' }]) => [argument.toUpperCase(), text])),
    ],
    ['Options', table([...optionRows(args), ['-h, --help', 'Show this']])],
    ['Environment', table(environment)],
    ['Exit codes', table(exits)],
    ['Examples', examples.flatMap(([line, effect]) => [`# ${effect}`, `nodectl ${line}`])],
  ])
}

/** The help of the tool. */
export function toolHelp(commands: Readonly<Record<string, CommandEntry>>): string {
  return sections([
    ['Compile, inspect and run deterministic modules, and serve a node', []],
    ['Usage', ['nodectl <command> [options]']],
    ['Commands', table(Object.entries(commands).map(([name, { description }]) => [name, description]))],
    [
      'Options',
      table([
        ['-h, --help', 'Show this, or the help of a command'],
        ['--version', 'Show the version'],
      ]),
    ],
    [
      'Examples',
      ['nodectl keygen --data-dir ./node', 'nodectl compile hello.ts', 'nodectl inspect hello.hbc'],
    ],
  ])
}

function optionRows(args: ArgsDef): [string, string][] {
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
