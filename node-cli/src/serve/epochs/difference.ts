import type { EpochReceiptBody } from '../../../../protocol/earnings/index.ts'
import { encodeCanonicalJson } from '../../../../protocol/encoding/index.ts'

/** A value that two receipts do not have alike; null if one has none. */
export interface Difference {
  readonly path: string
  readonly proposed: unknown
  readonly own: unknown
}

/** More say nothing new. */
const differencesMax = 20

/** The values of a proposed receipt that differ from the node's own, by path: recipients by their address. */
export function receiptDifference(proposed: EpochReceiptBody, own: EpochReceiptBody): readonly Difference[] {
  const ours = new Map(valuesOf(own))
  const theirs = new Map(valuesOf(proposed))
  const differences: Difference[] = []
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    const difference = { path, proposed: theirs.get(path) ?? null, own: ours.get(path) ?? null }
    if (encodeCanonicalJson(difference.proposed) !== encodeCanonicalJson(difference.own))
      differences.push(difference)
    if (differences.length === differencesMax) break
  }
  return differences
}

function* valuesOf({
  compute_units: units,
  totals,
  ...single
}: EpochReceiptBody): Generator<[path: string, value: unknown]> {
  for (const { miner, ...values } of units) yield [`compute_units.${miner}`, values]
  for (const [name, value] of Object.entries(totals)) yield [`totals.${name}`, value]
  yield* Object.entries(single)
}
