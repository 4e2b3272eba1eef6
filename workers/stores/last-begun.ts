import type { ProjectVersion } from './projects.ts'

/** The last of versions that wait for their epoch whose epoch has begun at a time. */
export const lastBegun = (waiting: readonly ProjectVersion[], time: number): ProjectVersion | undefined =>
  waiting.findLast(({ effectiveAt }) => effectiveAt !== null && effectiveAt <= time)
