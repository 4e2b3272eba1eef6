// Multiplies two square matrices of f64 made from a seed, and answers a checksum: floating-point work that is
// the same to the bit on every node.

export function multiply(size: string): string {
  const n = <i32>max<i64>(1, min<i64>(128, I64.parseInt(size.length > 0 ? size : "16")));
  const a = fill(n, 1), b = fill(n, 2);
  const product = new StaticArray<f64>(n * n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const x = a[i * n + k];
      for (let j = 0; j < n; j++) product[i * n + j] += x * b[k * n + j];
    }
  let checksum: u64 = 0;
  for (let i = 0; i < n * n; i++) checksum = rotl<u64>(checksum, 5) ^ reinterpret<u64>(product[i]);
  return "0x" + checksum.toString(16).padStart(16, "0");
}

function fill(n: i32, seed: u32): StaticArray<f64> {
  const values = new StaticArray<f64>(n * n);
  let state = seed;
  for (let i = 0; i < n * n; i++) {
    state = state * 1664525 + 1013904223;
    values[i] = <f64>state / 4294967296.0;
  }
  return values;
}
