/** Counts by name, as a result file shows them. */
export interface Figures {
  readonly [name: string]: number | bigint | Figures
}

/** The sum of two sets of counts; a name that only one of them has counts as 0 in the other. Inner names are sorted. */
export function addFigures<T extends Figures>(one: T, other: T): T {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, add(one[name], other[name])])) as T
}

function add(one: Figures[string] | undefined, other: Figures[string] | undefined): Figures[string] {
  if (typeof one === 'object' || typeof other === 'object') {
    const sum = addFigures((one ?? {}) as Figures, (other ?? {}) as Figures)
    return Object.fromEntries(Object.entries(sum).sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  if (typeof one === 'bigint' || typeof other === 'bigint') return BigInt(one ?? 0) + BigInt(other ?? 0)
  return (one ?? 0) + (other ?? 0)
}

export const sum = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((total, amount) => total + amount, 0n)

/** How often each fault happened, by name. */
export class FaultCounts {
  readonly counts = new Map<string, number>()

  note(name: string, times = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times)
  }
}

export const sumFaults = (...tallies: readonly ReadonlyMap<string, number>[]): Figures =>
  tallies.map((tally): Figures => ({ faults: Object.fromEntries(tally) })).reduce(addFigures, { faults: {} })
    .faults as Figures
