/** A word as a shell takes it: a command that is shown can be copied, whichever characters its paths have. */
export function shellWord(word: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`
}
