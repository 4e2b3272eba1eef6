import type { Task } from '../../protocol/rounds/index.ts'
import type { Generation, ValidatorStore } from '../stores/validators.ts'

/**
 * How long a generation that was read is used. The hub waits longer than that for a quorum, so the validators that it asks may be that
 * outdated anyway. If no quorum answered, there may be a new generation: `again` finds it sooner.
 */
export const generationKeptMs = { first: 10_000, again: 2_000 }
const keptMax = 1_000

interface Read {
  atMs: number
  generation: Generation | null
}

const read = new WeakMap<ValidatorStore, Map<string, Read>>()

/**
 * The validators that count for the epoch of a task, read once in a while for all rounds of an isolate. Rounds share values and never a
 * promise, which would end with the request that made it: while one round reads again, the others take the known value.
 */
export async function recentGeneration(
  validators: ValidatorStore,
  { project_id: projectId, epoch }: Pick<Task, 'project_id' | 'epoch'>,
  keptMs: number = generationKeptMs.first,
): Promise<Generation | null> {
  const kept = read.get(validators) ?? new Map<string, Read>()
  read.set(validators, kept)
  const name = `${projectId}:${epoch}`
  const known = kept.get(name)
  const nowMs = Date.now()
  if (known !== undefined && Math.abs(nowMs - known.atMs) < keptMs) return known.generation
  if (known !== undefined) kept.set(name, { ...known, atMs: nowMs })
  try {
    const generation = await validators.ofSet(projectId, epoch)
    if (kept.size >= keptMax) kept.clear()
    kept.set(name, { atMs: Date.now(), generation })
    return generation
  } catch (error) {
    // The next one tries again.
    kept.delete(name)
    throw error
  }
}
