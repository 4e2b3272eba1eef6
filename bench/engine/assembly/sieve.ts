/** Byte stores in a short loop. */
function kernel(n: i32): i32 {
  const composite = new Uint8Array(n + 1)
  let count = 0
  for (let i = 2; i <= n; i++) {
    if (unchecked(composite[i])) continue
    count++
    for (let j = i + i; j <= n; j += i) unchecked((composite[j] = 1))
  }
  return count
}
