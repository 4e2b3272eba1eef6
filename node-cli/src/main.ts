import packageJson from '../package.json' with { type: 'json' }
import { optionsOf } from './cli/arguments.ts'
import { CliError, exitCodes, UsageError } from './cli/errors.ts'
import { leaveAtOnce } from './cli/leave.ts'
import { printJson, tell, tellLines } from './cli/output.ts'
import { commands } from './commands/index.ts'
import { dispatch } from './dispatch.ts'

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
  await dispatch(rawArgs)
} catch (error) {
  report(error, rawArgs)
}
