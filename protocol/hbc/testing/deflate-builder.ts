/** Order in which a block states the lengths of the codes for code lengths (RFC 1951, 3.2.7). */
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/**
 * A deflate stream of blocks that hold nothing, each with the most expensive codes there are: literals and distances of
 * 1 to 15 bits. A reader that makes a table of 2^15 places for every block needs minutes for an artifact of them.
 */
export function emptyBlocks(count: number): Uint8Array {
  const bits: number[] = []
  const put = (value: number, width: number) => {
    for (let bit = 0; bit < width; bit++) bits.push((value >>> bit) & 1)
  }
  const putCode = (value: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1)
  }
  const lengths = Array.from({ length: 15 }, (_, i) => i + 1)
  // The lengths 1 to 15 and the repetition of zeros have codes of four bits each, in this order.
  const stated = [...lengths, 18]
  const putLength = (length: number) => putCode(stated.indexOf(length), 4)
  const putZeros = (zeros: number) => {
    putLength(18)
    put(zeros - 11, 7)
  }

  put(0, 1)
  put(2, 2)
  put(257 - 257, 5)
  put(16 - 1, 5)
  put(19 - 4, 4)
  for (const length of codeLengthOrder) put(stated.includes(length) ? 4 : 0, 3)
  for (const length of lengths) putLength(length)
  putZeros(138)
  putZeros(241 - 138)
  putLength(15)
  for (const length of [...lengths, 15]) putLength(length)
  putCode(0x7fff, 15)

  const stream = new Uint8Array(Math.ceil((count * bits.length) / 8))
  let place = 0
  for (let block = 0; block < count; block++)
    for (const [index, bit] of bits.entries()) {
      // The first bit of the last block says that it is the last.
      if (bit === 1 || (index === 0 && block === count - 1)) stream[place >>> 3]! |= 1 << (place & 7)
      place++
    }
  return stream
}
