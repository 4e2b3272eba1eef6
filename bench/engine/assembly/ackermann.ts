/** Deep recursion: the return path is as hot as the call. */
function ackermann(m: i32, n: i32): i32 {
  if (m == 0) return n + 1
  if (n == 0) return ackermann(m - 1, 1)
  return ackermann(m - 1, ackermann(m, n - 1))
}

function kernel(n: i32): i32 {
  let sum = 0
  for (let i = 0; i < n; i++) sum += ackermann(2, 300)
  return sum
}
