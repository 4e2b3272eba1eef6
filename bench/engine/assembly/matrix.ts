/** Multiplication of two square matrices of doubles. */
const side = 96
const a = new StaticArray<f64>(side * side)
const b = new StaticArray<f64>(side * side)
const c = new StaticArray<f64>(side * side)

function kernel(n: i32): i32 {
  for (let i = 0; i < side * side; i++) {
    unchecked((a[i] = <f64>(i % 17) - 3))
    unchecked((b[i] = <f64>(i % 13) - 5))
  }
  let trace: f64 = 0
  for (let pass = 0; pass < n; pass++) {
    for (let i = 0; i < side; i++) {
      for (let j = 0; j < side; j++) {
        let sum: f64 = 0
        for (let k = 0; k < side; k++) sum += unchecked(a[i * side + k]) * unchecked(b[k * side + j])
        unchecked((c[i * side + j] = sum))
      }
    }
    trace += unchecked(c[pass % (side * side)])
  }
  return <i32>trace
}
