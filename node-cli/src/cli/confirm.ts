import { createInterface } from 'node:readline/promises'

/** The terminal of this process. */
const own: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream } = {
  input: process.stdin,
  output: process.stderr,
}

/**
 * Asks a question that is answered with yes or no.
 *
 * @returns Whether the answer is yes. A person who ends the question with Ctrl-C or Ctrl-D says no.
 */
export async function confirmed(question: string, { input, output } = own): Promise<boolean> {
  const terminal = createInterface({ input, output })
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    return /^y(es)?$/i.test((await Promise.race([terminal.question(question), ended])).trim())
  } catch (error) {
    if ((error as Error).name === 'AbortError') return false
    throw error
  } finally {
    terminal.close()
  }
}
