import packageJson from '../package.json' with { type: 'json' }
import { optionsOf } from './cli/arguments.ts'
import { CliError, exitCodes, UsageError } from './cli/errors.ts'
import { printJson, tell, tellLines } from './cli/output.ts'
import { commands } from './commands/index.ts'

/** Says why a call failed. @returns The exit code that says it too. */
export function report(error: unknown, rawArgs: readonly string[]): number {
  if (optionsOf(rawArgs).includes('--json')) printJson({ error: describe(error) })
  const usage = error instanceof UsageError || (error instanceof Error && error.name === 'CLIError')
  if (usage) {
    const name = rawArgs[0] !== undefined && Object.hasOwn(commands, rawArgs[0]) ? ` ${rawArgs[0]}` : ''
    tell(`Error: ${(error as Error).message}`)
    tell(`See: nodectl${name} --help`)
    return exitCodes.usage
  }
  if (error instanceof CliError) {
    tell(`Error: ${error.message}`)
    if (error.output) tellLines(error.output)
    if (error.hint !== undefined) tell(error.hint)
    return exitCodes.failed
  }
  tell(`Error: this is a bug of nodectl ${packageJson.version}, please report it`)
  tellLines(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return exitCodes.bug
}

/** An error as scripts read it. */
function describe(error: unknown): { code: string; message: string; hint: string | null } {
  if (error instanceof CliError)
    return { code: error.code, message: error.message, hint: error.hint ?? error.output ?? null }
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  return { code: name === 'CLIError' ? 'usage' : 'bug', message, hint: null }
}
