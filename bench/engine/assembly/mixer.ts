/** 64-bit integer mixing over memory. */
const cells = new StaticArray<u64>(1024)

function kernel(n: i32): i32 {
  let state: u64 = 0x9e3779b97f4a7c15
  for (let pass = 0; pass < n; pass++) {
    for (let i = 0; i < 1024; i++) {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      unchecked((cells[i] = cells[i] * 0xbf58476d1ce4e5b9 + rotl(state, 31)))
    }
  }
  let digest: u64 = 0
  for (let i = 0; i < 1024; i++) digest ^= unchecked(cells[i])
  return <i32>(digest ^ (digest >> 32))
}
