import { createReadStream } from 'node:fs'

/** The lines of a file. `node:readline` takes U+2028, which a text of a user may have, for the end of one as well. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()!
    yield* lines
  }
  if (rest !== '') yield rest
}
