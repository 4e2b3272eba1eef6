// Small programs that spend their time in one way each. Every function takes its size as input.

function size(input: string, otherwise: i32): i32 {
  return input.length > 0 ? <i32>I64.parseInt(input) : otherwise;
}

export function fib(input: string): string {
  return recurse(size(input, 30)).toString();
}

function recurse(n: i32): i32 {
  return n < 2 ? n : recurse(n - 1) + recurse(n - 2);
}

export function sieve(input: string): string {
  const n = size(input, 4000000);
  const composite = new StaticArray<u8>(n);
  let primes = 0;
  for (let i = 2; i < n; i++) {
    if (unchecked(composite[i])) continue;
    primes++;
    for (let j = 2 * i; j < n; j += i) unchecked((composite[j] = 1));
  }
  return primes.toString();
}

export function matmul(input: string): string {
  const n = size(input, 200);
  const a = new StaticArray<f64>(n * n), b = new StaticArray<f64>(n * n), c = new StaticArray<f64>(n * n);
  for (let i = 0; i < n * n; i++) {
    unchecked((a[i] = <f64>(i % 7)));
    unchecked((b[i] = <f64>(i % 5)));
  }
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0.0;
      for (let k = 0; k < n; k++) sum += unchecked(a[i * n + k]) * unchecked(b[k * n + j]);
      unchecked((c[i * n + j] = sum));
    }
  return unchecked(c[n]).toString();
}

export function mandelbrot(input: string): string {
  const n = size(input, 400);
  let inside = 0;
  for (let py = 0; py < n; py++)
    for (let px = 0; px < n; px++) {
      const cx = 3.0 * <f64>px / <f64>n - 2.0, cy = 2.0 * <f64>py / <f64>n - 1.0;
      let x = 0.0, y = 0.0, i = 0;
      while (i < 100 && x * x + y * y < 4.0) {
        const t = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = t;
        i++;
      }
      if (i == 100) inside++;
    }
  return inside.toString();
}

export function nbody(input: string): string {
  const steps = size(input, 200000);
  let ax = 0.0, ay = 0.0, avx = 0.0, avy = 0.1, bx = 1.0, by = 0.0, bvx = 0.0, bvy = 1.0;
  for (let i = 0; i < steps; i++) {
    const dx = bx - ax, dy = by - ay;
    const r2 = dx * dx + dy * dy + 0.01;
    const f = 0.001 / (r2 * Math.sqrt(r2));
    avx += dx * f; avy += dy * f; bvx -= dx * f * 10.0; bvy -= dy * f * 10.0;
    ax += avx * 0.01; ay += avy * 0.01; bx += bvx * 0.01; by += bvy * 0.01;
  }
  return (ax + bx).toString();
}

export function hash64(input: string): string {
  const n = size(input, 20000000);
  let h: u64 = 0xcbf29ce484222325;
  for (let i = 0; i < n; i++) {
    h ^= <u64>i;
    h *= 0x100000001b3;
    h = rotl<u64>(h, 13);
  }
  return h.toString(16);
}

export function sort(input: string): string {
  const n = size(input, 300000);
  const values = new StaticArray<i32>(n);
  let state: u32 = 1;
  for (let i = 0; i < n; i++) {
    state = state * 1664525 + 1013904223;
    unchecked((values[i] = <i32>state));
  }
  quicksort(values, 0, n - 1);
  return unchecked(values[n >> 1]).toString();
}

function quicksort(values: StaticArray<i32>, low: i32, high: i32): void {
  while (low < high) {
    const pivot = unchecked(values[(low + high) >> 1]);
    let i = low, j = high;
    while (i <= j) {
      while (unchecked(values[i]) < pivot) i++;
      while (unchecked(values[j]) > pivot) j--;
      if (i <= j) {
        const t = unchecked(values[i]);
        unchecked((values[i] = unchecked(values[j])));
        unchecked((values[j] = t));
        i++; j--;
      }
    }
    if (j - low < high - i) { quicksort(values, low, j); low = i; }
    else { quicksort(values, i, high); high = j; }
  }
}

export function calls(input: string): string {
  const n = size(input, 10000000);
  let sum = 0;
  for (let i = 0; i < n; i++) sum = step(sum, i);
  return sum.toString();
}

function step(a: i32, b: i32): i32 {
  return (a ^ b) + (a >>> 3);
}

export function simd(input: string): string {
  const n = size(input, 5000000);
  let sum = f32x4.splat(0);
  const x = f32x4(1.5, 0.5, 0.25, 0.125);
  for (let i = 0; i < n; i++) sum = f32x4.add(f32x4.mul(sum, f32x4.splat(0.999)), x);
  return f32x4.extract_lane(sum, 0).toString();
}

export function text(input: string): string {
  const n = size(input, 5000);
  let length = 0;
  for (let i = 0; i < n; i++) {
    const s = i.toString() + ":" + (i * 7).toString();
    length += s.indexOf("7") + s.length;
  }
  return length.toString();
}
