/** A tight loop over doubles with an early exit. */
function kernel(n: i32): i32 {
  let inside = 0
  for (let y = 0; y < n; y++) {
    for (let x = 0; x < n; x++) {
      const cr = (<f64>x / <f64>n) * 3 - 2
      const ci = (<f64>y / <f64>n) * 2 - 1
      let zr: f64 = 0
      let zi: f64 = 0
      let steps = 0
      while (steps < 200) {
        const rr = zr * zr
        const ii = zi * zi
        if (rr + ii > 4) break
        zi = 2 * zr * zi + ci
        zr = rr - ii + cr
        steps++
      }
      if (steps == 200) inside++
    }
  }
  return inside
}
