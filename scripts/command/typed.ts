import { createInterface } from 'node:readline/promises'

/** The terminal of this process. */
const own: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream } = {
  input: process.stdin,
  output: process.stderr,
}

/** The line that a person types as the answer to a question; empty if Ctrl-C or Ctrl-D ends the question. */
export async function typed(question: string, { input, output } = own): Promise<string> {
  const terminal = createInterface({ input, output })
  try {
    return (await terminal.question(question)).trim()
  } catch (error) {
    if ((error as Error).name === 'AbortError') return ''
    throw error
  } finally {
    terminal.close()
  }
}
