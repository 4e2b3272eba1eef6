import packageJson from '../package.json' with { type: 'json' }

/** Whether a version such as 1.0.0 comes before another one; what follows the numbers does not count. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)]
  const at = [0, 1, 2].find((part) => a[part] !== b[part])
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0)
}

const partsOf = (version: string): number[] =>
  [0, 1, 2].map((part) => Number.parseInt(version.split('.')[part] ?? '0', 10))

/** Why a hub does not support this version, and what to install; null where it does. @param min The lowest that it supports. */
export function unsupportedBy(min: string, version: string = packageJson.version): string | null {
  if (!isOlder(version, min)) return null
  return `the hub works with nodectl ${min} or newer, and this is ${version}; install it: npm install -g nodectl`
}
