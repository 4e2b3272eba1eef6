/** Whether a version such as 1.0.0 comes before another one; what follows the numbers does not count. */
export function isOlderVersion(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)]
  const at = [0, 1, 2].find((part) => a[part] !== b[part])
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0)
}

const partsOf = (version: string): number[] =>
  [0, 1, 2].map((part) => Number.parseInt(version.split('.')[part] ?? '0', 10))
