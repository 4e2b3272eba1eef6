/** Two manifests side by side, as rows that a person reads. */

export interface Difference {
  /** Names that lead to the member, from the top: `economics`, `min_collateral`. */
  readonly path: readonly string[]
  /** Null if the member is new. */
  readonly before: string | null
  readonly after: string | null
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return isRecord(value) ? JSON.stringify(value) : String(value ?? '')
}

/** Every member that is not an object itself. */
function leavesOf(value: unknown, path: readonly string[] = []): [path: readonly string[], text: string][] {
  if (!isRecord(value)) return [[path, textOf(value)]]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

/** Members that follow from the rest, or change with every version. */
const implied = new Set(['version', 'previous'])

/** The members that differ, in the order of the newer manifest, then the removed ones; all members if there is no older one. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const keyOf = (path: readonly string[]) => path.join('.')
  const old = new Map(before === null ? [] : leavesOf(before).map(([path, text]) => [keyOf(path), text]))
  const next = leavesOf(after)
  const names = new Set(next.map(([path]) => keyOf(path)))
  const gone = before === null ? [] : leavesOf(before).filter(([path]) => !names.has(keyOf(path)))
  return [
    ...next.map(([path, text]) => ({ path, before: old.get(keyOf(path)) ?? null, after: text })),
    ...gone.map(([path, text]) => ({ path, before: text, after: null })),
  ].filter((row) => row.before !== row.after && !implied.has(keyOf(row.path)))
}
