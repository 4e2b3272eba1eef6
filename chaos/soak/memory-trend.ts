export interface MemorySample {
  readonly ms: number
  readonly mib: number
}

/** Heaps reach their working size within this share of the time. */
const warmUpShare = 1 / 3

/** How the memory of a process changes over its life, once it is warm. */
export function memoryTrend(samples: readonly MemorySample[]) {
  const warm = samples.slice(Math.floor(samples.length * warmUpShare))
  const [first, last] = [warm[0], warm.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError('A trend needs a sample.')
  return {
    first: Math.round(first.mib),
    last: Math.round(last.mib),
    highest: Math.round(Math.max(...samples.map(({ mib }) => mib))),
    /** Slope of the straight line that is nearest to the samples after the warm-up. */
    mibPerHour: Number((slope(warm) * 3_600_000).toFixed(1)),
  }
}

/** MiB per millisecond, by least squares; 0 if all samples have the same time. */
function slope(samples: readonly MemorySample[]): number {
  const mean = (member: keyof MemorySample) =>
    samples.reduce((sum, sample) => sum + sample[member], 0) / samples.length
  const [middleMs, middleMib] = [mean('ms'), mean('mib')]
  const spread = samples.reduce((sum, { ms }) => sum + (ms - middleMs) ** 2, 0)
  const common = samples.reduce((sum, { ms, mib }) => sum + (ms - middleMs) * (mib - middleMib), 0)
  return spread === 0 ? 0 : common / spread
}
