/** Writes the result of a command. Standard output carries it and nothing else. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Tells on standard error what takes long. */
export function progress(message: string): void {
  process.stderr.write(`${message}\n`)
}
