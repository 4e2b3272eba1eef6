import { checkArguments, optionsOf, unknown } from './cli/arguments.ts'
import { UsageError } from './cli/errors.ts'
import { commandHelp, toolHelp } from './cli/help.ts'
import { writeOutput } from './cli/standard-streams.ts'
import { commands } from './commands/index.ts'

const isHelp = (argument: string | undefined): boolean => argument === '--help' || argument === '-h'

/** Does what the tool is called for; the exit code is left in `process.exitCode`, so that output is flushed. */
export async function dispatch(rawArgs: string[]): Promise<void> {
  const [name, ...rest] = rawArgs
  const isVersion = name === '--version' || name === '-v'
  if (isVersion && rest.length === 0) return void (await import('./version.ts'))
  if (name === undefined) return print(toolHelp(commands))
  if (isHelp(name)) {
    const others = rest.filter((argument) => !isHelp(argument))
    return others.length === 0 ? print(toolHelp(commands)) : dispatch([...others, name])
  }
  if (isVersion) throw new UsageError(`${name} takes no argument`)
  if (name.startsWith('-')) throw unknown('flag', name, ['--help', '--version'])
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) throw unknown('command', name, Object.keys(commands))

  const { default: command } = await entry.load()
  if (optionsOf(rest).some(isHelp)) return print(commandHelp(name, entry.description, command))
  checkArguments(command.rest === undefined ? rest : optionsOf(rest), command.args)
  const { runCommand } = await import('citty')
  await runCommand(command, { rawArgs: rest })
}

const print = (text: string): void => writeOutput(`${text}\n`)
