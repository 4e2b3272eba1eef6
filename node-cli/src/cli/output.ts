/** Writes the result of a command. Standard output carries it and nothing else. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Text of a guest, with what would steer a terminal shown as escapes. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Tells on standard error what takes long. */
export function progress(message: string): void {
  process.stderr.write(`${message}\n`)
}
