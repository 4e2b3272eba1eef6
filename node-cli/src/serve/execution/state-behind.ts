import type { StateHead } from '../../../../protocol/execution/index.ts'
import type { DirectStateStore } from '../store/direct-state.ts'
import type { ModuleChange } from '../store/state-index.ts'

/** A module whose storage here is not what a quorum signed last, or of which nobody said what that is. */
export interface ModuleBehind {
  readonly module_address: string
  readonly seq: number
  readonly root: string
}

/** Thrown for a run that saw other storage than a quorum signed last: its vote would be for nothing. */
export class StateBehind extends Error {
  override readonly name = 'StateBehind'
  readonly modules: readonly ModuleBehind[]

  constructor(modules: readonly ModuleBehind[]) {
    super(
      `the storage of ${modules.map(({ module_address }) => module_address).join(', ')} is not the agreed one`,
    )
    this.modules = modules
  }
}

/**
 * Compares the storage that a run saw with the state that a quorum signed last, as the coordinator and as this node know it.
 * @throws {@link StateBehind}
 */
export function requireHeads(
  heads: readonly StateHead[],
  changes: readonly ModuleChange[],
  { head }: Pick<DirectStateStore, 'head'>,
): void {
  const said = new Map(heads.map((one) => [one.module_address, one]))
  const behind = changes.flatMap(({ transition: { module_address, pre_root: root, pre_seq: seq } }) => {
    const expected = said.get(module_address)
    const certified = head(module_address)
    const isAgreed =
      expected !== undefined &&
      (expected.seq === null || (expected.seq === seq && expected.root === root)) &&
      (certified === null || (certified.sequence === seq && certified.root === root))
    return isAgreed ? [] : [{ module_address, seq, root }]
  })
  if (behind.length > 0) throw new StateBehind(behind)
}
