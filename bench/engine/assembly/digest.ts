/** SHA-256 of blocks, one after the other. */
const constants: StaticArray<u32> = new StaticArray<u32>(64)
const schedule = new StaticArray<u32>(64)

function prepare(): void {
  let found = 0
  for (let n = 2; found < 64; n++) {
    let prime = true
    for (let d = 2; d * d <= n; d++) if (n % d == 0) prime = false
    if (!prime) continue
    const root = Math.cbrt(<f64>n)
    unchecked((constants[found++] = <u32>((root - Math.floor(root)) * 4294967296.0)))
  }
}

function kernel(n: i32): i32 {
  prepare()
  let h0: u32 = 0x6a09e667, h1: u32 = 0xbb67ae85, h2: u32 = 0x3c6ef372, h3: u32 = 0xa54ff53a
  let h4: u32 = 0x510e527f, h5: u32 = 0x9b05688c, h6: u32 = 0x1f83d9ab, h7: u32 = 0x5be0cd19
  for (let block = 0; block < n; block++) {
    for (let i = 0; i < 16; i++) unchecked((schedule[i] = <u32>(i * 0x01010101 + block)))
    for (let i = 16; i < 64; i++) {
      const x = unchecked(schedule[i - 15])
      const y = unchecked(schedule[i - 2])
      const s0 = rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)
      const s1 = rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10)
      unchecked((schedule[i] = schedule[i - 16] + s0 + schedule[i - 7] + s1))
    }
    let a = h0, b = h1, c = h2, d = h3, e = h4, f = h5, g = h6, h = h7
    for (let i = 0; i < 64; i++) {
      const t1 =
        h +
        (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
        ((e & f) ^ (~e & g)) +
        unchecked(constants[i]) +
        unchecked(schedule[i])
      const t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = d + t1
      d = c
      c = b
      b = a
      a = t1 + t2
    }
    h0 += a
    h1 += b
    h2 += c
    h3 += d
    h4 += e
    h5 += f
    h6 += g
    h7 += h
  }
  return h0 ^ h1 ^ h2 ^ h3 ^ h4 ^ h5 ^ h6 ^ h7
}
