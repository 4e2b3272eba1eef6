/** Quicksort of pseudorandom numbers. */
function quicksort(list: StaticArray<i32>, from: i32, to: i32): void {
  while (from < to) {
    const pivot = unchecked(list[(from + to) >> 1])
    let i = from
    let j = to
    while (i <= j) {
      while (unchecked(list[i]) < pivot) i++
      while (unchecked(list[j]) > pivot) j--
      if (i <= j) {
        const swapped = unchecked(list[i])
        unchecked((list[i++] = list[j]))
        unchecked((list[j--] = swapped))
      }
    }
    if (j - from < to - i) {
      quicksort(list, from, j)
      from = i
    } else {
      quicksort(list, i, to)
      to = j
    }
  }
}

function kernel(n: i32): i32 {
  const list = new StaticArray<i32>(n)
  let state = 12345
  for (let i = 0; i < n; i++) {
    state = state * 1103515245 + 12345
    unchecked((list[i] = (state >> 8) & 0xfffff))
  }
  quicksort(list, 0, n - 1)
  let digest = 0
  for (let i = 0; i < n; i++) digest = digest * 31 + unchecked(list[i])
  return digest
}
