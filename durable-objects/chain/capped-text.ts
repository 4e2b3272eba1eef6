/** Reads a body as UTF-8. @throws What `tooLarge` makes, as soon as there are more bytes than may be. */
export async function readCapped(
  { body }: Response,
  bytesMax: number,
  tooLarge: () => Error,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > bytesMax) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
