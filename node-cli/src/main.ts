import packageJson from '../package.json' with { type: 'json' }
import { checkArguments, unknown } from './cli/arguments.ts'
import { CliError, exitCodes, UsageError } from './cli/errors.ts'
import { commandHelp, toolHelp } from './cli/help.ts'
import { leaveAtOnce } from './cli/leave.ts'
import { printJson, tell, tellLines } from './cli/output.ts'
import { writeOutput } from './cli/standard-streams.ts'
import { commands } from './commands/index.ts'

const isHelp = (argument: string | undefined): boolean => argument === '--help' || argument === '-h'

/** Runs the tool; the exit code is left in `process.exitCode`, so that output is flushed. */
async function main(rawArgs: string[]): Promise<void> {
  const [name, ...rest] = rawArgs
  const isVersion = name === '--version' || name === '-v'
  if (isVersion && rest.length === 0) return void (await import('./version.ts'))
  if (name === undefined) return print(toolHelp(commands))
  if (isHelp(name)) {
    const others = rest.filter((argument) => !isHelp(argument))
    return others.length === 0 ? print(toolHelp(commands)) : main([...others, name])
  }
  if (isVersion) throw new UsageError(`${name} takes no argument`)
  if (name.startsWith('-')) throw unknown('flag', name, ['--help', '--version'])
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) throw unknown('command', name, Object.keys(commands))

  const { default: command } = await entry.load()
  const end = rest.indexOf('--')
  if ((end < 0 ? rest : rest.slice(0, end)).some(isHelp))
    return print(commandHelp(name, entry.description, command))
  checkArguments(rest, command.args)
  const { runCommand } = await import('citty')
  await runCommand(command, { rawArgs: rest })
}

const print = (text: string): void => writeOutput(`${text}\n`)

function report(error: unknown, rawArgs: readonly string[]): void {
  if (optionsOf(rawArgs).includes('--json')) printJson({ error: describe(error) })
  const usage = error instanceof UsageError || (error instanceof Error && error.name === 'CLIError')
  if (usage) {
    const name = rawArgs[0] !== undefined && Object.hasOwn(commands, rawArgs[0]) ? ` ${rawArgs[0]}` : ''
    tell(`Error: ${(error as Error).message}`)
    tell(`See: nodectl${name} --help`)
    process.exitCode = exitCodes.usage
  } else if (error instanceof CliError) {
    tell(`Error: ${error.message}`)
    if (error.output) tellLines(error.output)
    if (error.hint !== undefined) tell(error.hint)
    process.exitCode = exitCodes.failed
    if (error.code === 'node_fault') leaveAtOnce(exitCodes.failed)
  } else {
    tell(`Error: this is a bug of nodectl ${packageJson.version}, please report it`)
    tellLines(error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.exitCode = exitCodes.bug
  }
}

/** What may be an option: all before `--`. */
const optionsOf = (rawArgs: readonly string[]): readonly string[] =>
  rawArgs.slice(0, rawArgs.includes('--') ? rawArgs.indexOf('--') : undefined)

/** An error as scripts read it. */
function describe(error: unknown): { code: string; message: string; hint: string | null } {
  if (error instanceof CliError)
    return { code: error.code, message: error.message, hint: error.hint ?? error.output ?? null }
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  return { code: name === 'CLIError' ? 'usage' : 'bug', message, hint: null }
}

// SQLite is experimental to Node.js 22; the user of the tool can do nothing about that.
const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void
process.emitWarning = (...args: unknown[]) => {
  // biome-ignore lint/plugin/noSpreadArguments: Its own arguments, passed on.
  if (!String(args[0]).startsWith('SQLite is an experimental feature')) emitWarning(...args)
}

const rawArgs = process.argv.slice(2)
try {
  await main(rawArgs)
} catch (error) {
  report(error, rawArgs)
}
