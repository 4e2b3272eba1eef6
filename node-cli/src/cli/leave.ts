/**
 * Ends the process once its last words are written. An ordinary exit waits for threads that are busy and for what V8
 * compiles in the background, either of which may go on for minutes after a guest that had to be stopped. Putting another
 * program in the place of this one waits for nothing; where the system or its Node cannot, this is an ordinary exit.
 */
export function leaveAtOnce(code: number): void {
  process.exitCode = code
  if (process.platform === 'win32') return
  process.stderr.write('', () =>
    process.execve?.(process.execPath, ['node', '--eval', `process.exitCode = ${code}`]),
  )
}
