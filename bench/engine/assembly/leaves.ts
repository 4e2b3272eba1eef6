/** Calls of tiny functions through a table. */
const leaves: StaticArray<(x: i32) => i32> = [
  (x: i32): i32 => (x << 3) ^ 5,
  (x: i32): i32 => (x >> 2) + 11,
  (x: i32): i32 => x * 17,
  (x: i32): i32 => x - 3,
]

function kernel(n: i32): i32 {
  let sum = 0
  for (let i = 0; i < n; i++) sum = unchecked(leaves[i & 3])(sum)
  return sum
}
