import { attestSnapshot, hashSnapshot, type Snapshot } from '../../protocol/committees/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { startValidatorServer, type Validator } from '../network/validator-server.ts'
import type { AttesterMode } from './plan.ts'

/** Validators that attest what they are asked for, or do what dishonest or broken ones do. */
export async function startValidators(profile: Profile, count: number) {
  const modes = new Map<string, readonly AttesterMode[]>()
  const asked = new Set<string>()

  const attestationOf = (index: number, snapshot: Snapshot): unknown => {
    const { seed } = server.nodes[index] as Validator
    const setHash = hashSnapshot(snapshot)
    const mode = modes.get(snapshot.project_id)?.[index] ?? 'attests'
    const isFirst = !asked.has(`${index}:${setHash}`)
    asked.add(`${index}:${setHash}`)
    if (mode === 'vanishes' || mode === 'by_itself' || (mode === 'second_time' && isFirst)) return null
    const other = hashSnapshot({ ...snapshot, epoch: snapshot.epoch + 1 })
    return attestSnapshot(profile, seed, mode === 'lies' ? other : setHash)
  }

  const server = await startValidatorServer(profile, count, async ({ index, path, body }) =>
    path === '/consensus/committee-sets' ? attestationOf(index, JSON.parse(body) as Snapshot) : null,
  )
  return {
    ...server,
    /** Decides what each validator does about the sets of a project. */
    behave: (projectId: string, chosen: readonly AttesterMode[]) => void modes.set(projectId, chosen),
  }
}
