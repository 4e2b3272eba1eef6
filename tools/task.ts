/** `npm run task`: submits a task to a project and shows its progress to the final result. */

import { readFileSync } from 'node:fs'
import { readArguments } from '../scripts/command/arguments.ts'
import { callOf, usualProject } from '../scripts/command/call.ts'
import { CommandError, UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { hubHelp, readHub } from './options/hub.ts'
import { followTask } from './task/follow.ts'
import { printResult, resultOf } from './task/result.ts'
import { submitTask } from './task/submit.ts'

const usage = `Usage: ${callOf('task', 'FUNCTION [--input TEXT | --input-file FILE] [--project ID] [--key KEY] [--json] [--quiet] [--wait S]')}

Submits a task to a project and shows its progress: queued, run by its committee, agreed on, audited, final. Prints the
result to standard output and the progress to standard error.

  FUNCTION           a function of the project
  --input TEXT       the input, as text (default: empty)
  --input-file FILE  the input from a file, or from standard input with -
  --gas N            the gas limit (default and maximum: the limit of the project)
  --project PROJECT  id or slug of the project (default ${usualProject})
  --key KEY          an API key with tasks:submit, for a project that accepts tasks only from its developer (default
                     $HUB_API_KEY, otherwise none)
  --wait S           seconds to wait for the final result, 0 to 3600 (default 120); 0 submits the task and exits
  --json             print the task and its round as JSON
  --quiet            print only the output, without the progress
  --hub URL          ${hubHelp}

Exit codes: 0 the result is final, or --wait is 0; 1 the task was refused or failed, or the function failed; 2 wrong usage;
3 the result is not final yet.

Examples:
  ${callOf('task', `echo --input '{"hello":"world"}'`)}
  ${callOf('task', 'greet --input Ada --project hello --quiet')}`

const waitDefaultSecs = 120
const waitMaxSecs = 3_600

/** Thrown where the time is up: the task goes on without this tool. */
class NotFinalYet extends CommandError {
  override readonly name = 'NotFinalYet'
  override readonly exitCode = 3
}

await runCommand(async () => {
  const options = {
    input: { type: 'string' },
    'input-file': { type: 'string' },
    gas: { type: 'string' },
    project: { type: 'string' },
    key: { type: 'string' },
    wait: { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
    hub: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, positionals } = readArguments({ allowPositionals: true, options }, usage)
  if (values.help) return console.log(usage)
  const [name] = positionals
  if (name === undefined || positionals.length > 1)
    throw new UsageError(`Name one function of the project.\n\n${usage}`)
  const waitSecs = readNumber('--wait', values.wait, 0, waitMaxSecs) ?? waitDefaultSecs
  const gasLimit = readNumber('--gas', values.gas, 1, Number.MAX_SAFE_INTEGER)
  const input = readInput(values)
  const network = await readNetwork(readHub(values.hub))
  const key = values.key ?? process.env.HUB_API_KEY
  const client = key === undefined || key === '' ? network.client : network.clientOf(key)

  const task = await submitTask({ ...network, client }, { project: values.project, name, input, gasLimit })
  const last = await followTask(client, task, waitSecs, (line) => {
    if (!values.quiet) console.error(line)
  })
  const result = await resultOf(client, last)
  if (values.json) console.log(JSON.stringify(result, null, 2))
  else if (values.quiet) console.log(result.task.output ?? '')
  else printResult(result)
  const { status, success, error, task_id } = result.task
  if (status === 'failed') throw new CommandError(`The task failed: ${error}.`)
  if (status === 'finalized' && success === false) {
    const reason = error === null ? '' : `: ${error}`
    const gas = gasLimit === null ? 'the gas limit of the project as --gas' : `--gas ${gasLimit}`
    throw new CommandError(
      `The function failed${reason}. To see why, use nodectl run with the same module and input, and ${gas}.`,
    )
  }
  if (status !== 'finalized' && waitSecs > 0)
    throw new NotFinalYet(
      `The result is not final after ${waitSecs} s; the task continues. GET /v1/tasks/${encodeURIComponent(task_id)} shows its state.`,
    )
})

function readNumber(option: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null
  if (!/^\d{1,16}$/.test(text) || Number(text) < min || Number(text) > max)
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}, not "${text}".`)
  return Number(text)
}

interface InputOptions {
  readonly input?: string | undefined
  readonly 'input-file'?: string | undefined
}

function readInput({ input, 'input-file': file }: InputOptions): Uint8Array {
  if (file === undefined) return new TextEncoder().encode(input ?? '')
  if (input !== undefined) throw new UsageError('Give --input or --input-file, not both.')
  try {
    // Descriptor 0 is standard input.
    return readFileSync(file === '-' ? 0 : file)
  } catch (error) {
    throw new CommandError(`The input cannot be read: ${(error as Error).message}`)
  }
}
