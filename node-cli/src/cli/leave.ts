import { existsSync } from 'node:fs'

/** An undocumented member of the streams that Node makes for pipes and terminals. */
interface Handled {
  readonly _handle?: { setBlocking?: (blocking: boolean) => void } | null
}

/**
 * Ends the process once its output on stderr is written. An ordinary exit waits for busy threads and for compilations of V8
 * in the background; both may go on for minutes after a guest that had to be stopped. Replacing this process with another
 * program (`execve`) waits for nothing; if the system or its Node cannot do that, this is an ordinary exit.
 */
export function leaveAtOnce(code: number): void {
  process.exitCode = code
  if (!canPutAnotherInPlace()) return
  process.stderr.write('', () => {
    // Programs that write to the same pipe after this one cannot deal with what Node sets; an ordinary exit sets it back.
    for (const stream of [process.stdout, process.stderr] as Handled[]) stream._handle?.setBlocking?.(true)
    // NODE_OPTIONS may load modules into every Node process; here they were loaded once already.
    const env = { ...process.env, NODE_OPTIONS: '' }
    process.execve?.(process.execPath, ['node', '--eval', `process.exitCode = ${code}`], env)
  })
}

/** Asked beforehand: Node aborts when it fails. */
function canPutAnotherInPlace(): boolean {
  const { permission, platform, execve, execPath } = process
  if (platform === 'win32' || execve === undefined) return false
  // Only there when Node was told to ask for permissions, whatever its types say.
  const permitted = (permission as typeof permission | undefined)?.has('child') ?? true
  return permitted && existsSync(execPath)
}
