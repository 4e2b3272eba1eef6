import type { LocalGroup } from '../../../../protocol/wasm/body.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'

/** The type of a local. Searched by halves: a function may have 50,000 groups of one local each. */
export function localTypeOf(groups: readonly LocalGroup[], local: number): ValueType {
  let low = 0
  let high = groups.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (local < groups[middle]!.end) high = middle
    else low = middle + 1
  }
  return groups[low]!.type
}
