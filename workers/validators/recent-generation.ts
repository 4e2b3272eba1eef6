import type { Task } from '../../protocol/rounds/index.ts'
import type { Generation, ValidatorStore } from '../stores/validators.ts'

/** What was read serves for so long. Asking validators takes longer, so who is asked may be as old as that anyhow. */
const keptMs = 2_000
const keptMax = 1_000

interface Read {
  atMs: number
  generation: Generation | null
}

const read = new WeakMap<ValidatorStore, Map<string, Read>>()

/** Who counts for the epoch of a task, read once in a while for all rounds of an isolate. They share values and never a promise, which would end with the request that made it. */
export async function recentGeneration(
  validators: ValidatorStore,
  { project_id: projectId, epoch }: Pick<Task, 'project_id' | 'epoch'>,
): Promise<Generation | null> {
  const kept = read.get(validators) ?? new Map<string, Read>()
  read.set(validators, kept)
  const name = `${projectId}:${epoch}`
  const known = kept.get(name)
  if (known !== undefined && Math.abs(Date.now() - known.atMs) < keptMs) return known.generation
  const generation = await validators.ofSet(projectId, epoch)
  if (kept.size >= keptMax) kept.clear()
  kept.set(name, { atMs: Date.now(), generation })
  return generation
}
