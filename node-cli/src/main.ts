import { CliError, exitCodes } from './cli/errors.ts'
import { leaveAtOnce } from './cli/leave.ts'
import { dispatch } from './dispatch.ts'
import { report } from './report.ts'

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
  process.exitCode = report(error, rawArgs)
  if (error instanceof CliError && error.code === 'node_fault') leaveAtOnce(exitCodes.failed)
}
