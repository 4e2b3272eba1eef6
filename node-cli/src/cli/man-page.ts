import type { Command, Commands } from './command.ts'
import { argumentRows, commandUsage, exitRows, optionRows, toolDescription, toolExamples } from './help.ts'

const usualExits = [
  'done',
  'refused or failed: a line that begins with Error: says why, and the line below it may say how to mend it',
] as const

/** The manual page of one command, from the definitions that its help is made of. */
export function commandPage(name: string, description: string, command: Command, version: string): string {
  const { args, environment = [], exits = usualExits, examples } = command
  return page(`nodectl-${name}`, description, version, [
    section('SYNOPSIS', [bold(commandUsage(name, command))]),
    section('DESCRIPTION', [roff(`${description}.`)]),
    section('ARGUMENTS', argumentRows(args).flatMap(tagged)),
    section('OPTIONS', [...optionRows(args), ['-h, --help', 'Show this help'] as const].flatMap(tagged)),
    section('ENVIRONMENT', environment.flatMap(tagged)),
    section('EXIT STATUS', exitRows(exits).flatMap(tagged)),
    section(
      'EXAMPLES',
      examples.flatMap(([line, effect]) => [`.PP\n${roff(`${effect}:`)}`, example(`nodectl ${line}`)]),
    ),
    section('SEE ALSO', [`${reference('nodectl')}`]),
  ])
}

/** The manual page of the tool. */
export function toolPage(commands: Commands, version: string): string {
  const names = Object.keys(commands)
  const rows = Object.entries(commands).map(([name, { description }]) => [name, description] as const)
  return page('nodectl', toolDescription, version, [
    section('SYNOPSIS', [bold('nodectl <command> [options]')]),
    section('COMMANDS', rows.flatMap(tagged)),
    section('OPTIONS', [
      ...tagged(['-h, --help', 'Show the commands, or the help of one']),
      ...tagged(['-v, --version', 'Show the version']),
    ]),
    section('EXIT STATUS', exitRows(usualExits).flatMap(tagged)),
    section('EXAMPLES', toolExamples.map(example)),
    section('SEE ALSO', [names.map((name) => reference(`nodectl-${name}`)).join(',\n')]),
  ])
}

const page = (name: string, description: string, version: string, sections: readonly string[]): string =>
  [
    `.TH ${roff(name.toUpperCase())} 1 "" "nodectl ${roff(version)}" "User Commands"`,
    section('NAME', [
      `${roff(name)} \\- ${roff(description.charAt(0).toLowerCase() + description.slice(1))}`,
    ]),
    ...sections.filter((text) => text !== ''),
    '',
  ].join('\n')

/** Empty when nothing is in it. */
const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`.SH ${title}`, ...lines].join('\n')

const bold = (text: string): string => `.B ${roff(text)}`

const tagged = ([tag, text]: readonly [string, string]): string[] => ['.TP', bold(tag), roff(text)]

const example = (line: string): string => `.PP\n.nf\n.RS\n${roff(line)}\n.RE\n.fi`

const reference = (name: string): string => `.BR ${roff(name)} (1)`

/** Text as roff takes it: nothing in it is a request or an escape, and a hyphen stays one. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^[.']/gm, '\\&$&')
    .replaceAll('"', '\\(dq')
    .replace(
      /\P{ASCII}/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
