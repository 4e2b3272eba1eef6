/** One message of a stream of server-sent events. */
export interface Message {
  readonly event: string
  readonly data: string
  /** The last id that the stream gave. */
  readonly id: string | undefined
  /** Milliseconds that the stream asks to wait before it is opened again. */
  readonly retry: number | undefined
}

/** A longer message is not an event of a hub. */
const messageLengthMax = 4 * 1024 * 1024

/** Reads the messages of a stream, those with an id alone too. Comments and unknown fields are skipped. */
export async function* readMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Message, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let id: string | undefined
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    if (rest.length > messageLengthMax) throw new Error('the stream has a message that does not end')
    for (const block of blocks) {
      let event = 'message'
      let retry: number | undefined
      const data: string[] = []
      for (const line of block.split(/\r?\n/)) {
        const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? []
        if (name === 'id') id = value
        else if (name === 'event') event = value
        else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value)
        else if (name === 'data') data.push(value)
      }
      yield { event, data: data.join('\n'), id, retry }
    }
  }
}

/** The chunks of a body. @throws the reason of the signal when nothing comes for so long that the stream is taken for dead. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
  silenced: () => void,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const timer = setTimeout(silenced, silenceMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
