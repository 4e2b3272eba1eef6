type Stream = 'stdout' | 'stderr'

/** Runs `act` and captures what this process writes meanwhile. @param write - Gets each text instead of the stream. */
export async function captured<T>(
  write: (stream: Stream, text: string) => void,
  act: () => Promise<T>,
): Promise<T> {
  const streams = ['stdout', 'stderr'] as const
  const writes = streams.map((name) => process[name].write)
  for (const name of streams)
    process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      write(name, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }) as typeof process.stdout.write
  try {
    return await act()
  } finally {
    for (const [i, name] of streams.entries()) process[name].write = writes[i]!
  }
}
