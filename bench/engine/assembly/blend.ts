/** Vectors: eight rows of four floats, mixed and clamped. */
const rows = new StaticArray<f32>(4096)

function kernel(n: i32): i32 {
  const base = changetype<usize>(rows)
  for (let i = 0; i < 4096; i++) unchecked((rows[i] = <f32>(i % 31) * 0.25))
  const half = f32x4.splat(0.5)
  const low = f32x4.splat(0.001)
  for (let pass = 0; pass < n; pass++) {
    for (let at: usize = 0; at < 4096 * 4 - 16; at += 16) {
      const one = v128.load(base + at)
      const next = v128.load(base + at + 16)
      v128.store(base + at, f32x4.max(f32x4.mul(f32x4.add(one, next), half), low))
    }
  }
  let digest = 0
  for (let i = 0; i < 4096; i++) digest = digest * 31 + reinterpret<i32>(unchecked(rows[i]))
  return digest
}
