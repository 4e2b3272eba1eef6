/** A file of gzip members, one after the other, is a file of gzip as well (RFC 1952, section 2.2). */

export const gzip = (text: string): Promise<Uint8Array> => through(text, new CompressionStream('gzip'))

export const gunzip = async (member: Uint8Array): Promise<string> =>
  new TextDecoder().decode(await through(member, new DecompressionStream('gzip')))

const through = async (bytes: string | Uint8Array, transform: ReadableWritablePair) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer())

/** The least bytes of a member. */
export const emptyBytes = 21

/** A gzip member of `bytes` bytes without content: a comment fills it. */
export function emptyMember(bytes: number): Uint8Array {
  const hasComment = 16
  const member = new Uint8Array(bytes).fill(0x20)
  member.set([0x1f, 0x8b, 8, hasComment, 0, 0, 0, 0, 0, 255])
  // The end of the comment, an empty last block, its checksum and its length.
  member.set([0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0], bytes - 11)
  return member
}
