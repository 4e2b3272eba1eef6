import { existsSync } from 'node:fs'

/** What Node does not document of the streams it makes of pipes and terminals. */
interface Handled {
  readonly _handle?: { setBlocking?: (blocking: boolean) => void } | null
}

/**
 * Ends the process once its last words are written. An ordinary exit waits for threads that are busy and for what V8
 * compiles in the background, either of which may go on for minutes after a guest that had to be stopped. Putting another
 * program in the place of this one waits for nothing; where the system or its Node cannot, this is an ordinary exit.
 */
export function leaveAtOnce(code: number): void {
  process.exitCode = code
  if (!canPutAnotherInPlace()) return
  process.stderr.write('', () => {
    // Programs that write to the same pipe after this one cannot deal with what Node sets; an ordinary exit sets it back.
    for (const stream of [process.stdout, process.stderr] as Handled[]) stream._handle?.setBlocking?.(true)
    // What the options load into every Node was loaded once already.
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
