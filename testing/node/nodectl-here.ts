import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dispatch } from '../../node-cli/src/dispatch.ts'
import { report } from '../../node-cli/src/report.ts'
import { keepProcess } from '../../scripts/testing/kept-process.ts'
import type { Outcome } from './nodectl.ts'

interface HereOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
}

/** The call before: environment, folder and streams are those of the whole process. */
let before: Promise<unknown> = Promise.resolve()

/**
 * Runs the tool in this process, after the calls before: it says and leaves what it does in a process of its own. For what
 * is not about the process, since starting one takes longer than most commands.
 */
export function nodectlHere(args: string[], options: HereOptions = {}): Promise<Outcome> {
  const outcome = before.then(() => runHere(args, options))
  before = outcome.catch(() => {})
  return outcome
}

async function runHere(args: string[], { env = {}, cwd }: HereOptions): Promise<Outcome> {
  const putBack = keepProcess()
  const { exitCode } = process
  const said = takeStreams()
  process.exitCode = undefined
  for (const [name, value] of Object.entries(env))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  try {
    if (cwd !== undefined) process.chdir(cwd)
    const code = await dispatch(args).then(
      () => Number(process.exitCode ?? 0),
      (error) => report(error, args),
    )
    return { code, ...said.end() }
  } finally {
    said.end()
    process.exitCode = exitCode
    putBack()
  }
}

/** Keeps what is written to standard output and standard error, as the tool writes it, until the end. */
function takeStreams() {
  const { writeSync } = fs
  const written: Record<number, Uint8Array[]> = { 1: [], 2: [] }
  const take = (descriptor: number, bytes: Uint8Array, offset = 0): number => {
    const kept = written[descriptor]
    if (kept === undefined) return writeSync(descriptor, bytes, offset)
    kept.push(Buffer.from(bytes.subarray(offset)))
    return bytes.length - offset
  }
  fs.writeSync = take as typeof writeSync
  syncBuiltinESMExports()
  const textOf = (descriptor: number) => Buffer.concat(written[descriptor]!).toString()
  return {
    end: () => {
      fs.writeSync = writeSync
      syncBuiltinESMExports()
      return { stdout: textOf(1), stderr: textOf(2) }
    },
  }
}
