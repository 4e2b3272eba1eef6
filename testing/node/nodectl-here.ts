import { dispatch } from '../../node-cli/src/dispatch.ts'
import { report } from '../../node-cli/src/report.ts'
import { keepProcess } from '../../scripts/testing/kept-process.ts'
import type { Outcome } from './nodectl.ts'
import { withTakenStreams } from './taken-streams.ts'

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
  const said = { stdout: '', stderr: '' }
  const takes = {
    stdout: (text: string) => {
      said.stdout += text
    },
    stderr: (text: string) => {
      said.stderr += text
    },
  }
  process.exitCode = undefined
  for (const [name, value] of Object.entries(env))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  try {
    if (cwd !== undefined) process.chdir(cwd)
    const code = await withTakenStreams(takes, () =>
      dispatch(args).then(
        () => Number(process.exitCode ?? 0),
        (error) => report(error, args),
      ),
    )
    return { code, ...said }
  } finally {
    process.exitCode = exitCode
    putBack()
  }
}
