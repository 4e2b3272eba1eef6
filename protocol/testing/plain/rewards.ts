import { H, type Json, Refusal, raw, sum, unsigned } from './notation.ts'

type Units = Map<string, bigint>

/** Rules 1 to 3 of section 21: what each address is credited, ascending by address. */
export function unitsOf(records: Json[], gasPerUnit: number, maxRecipients: number, maxUnits: number): Json {
  const units: Units = new Map()
  for (const { gas_used, voters } of records)
    for (const { payout_address } of voters) {
      const whole = BigInt(gas_used) / BigInt(gasPerUnit)
      const rest = BigInt(gas_used) % BigInt(gasPerUnit)
      const credit = rest > 0n ? whole + 1n : whole
      units.set(payout_address, (units.get(payout_address) ?? 0n) + (credit < 1n ? 1n : credit))
    }
  for (const own of units.values()) requireSafe(own)
  return capped(units, maxRecipients, maxUnits)
}

/** Rules 2 and 3. */
export function capped(units: Units, maxRecipients: number, maxUnits: number): Json {
  let kept = [...units].sort(([a, own], [b, other]) =>
    own === other ? (a < b ? -1 : 1) : own > other ? -1 : 1,
  )
  if (maxRecipients > 0) kept = kept.slice(0, maxRecipients)
  const total = sum(kept.map(([, own]) => own))
  if (maxUnits > 0 && total > BigInt(maxUnits))
    kept = kept.map(([miner, own]) => [miner, (own * BigInt(maxUnits)) / total])
  return kept
    .filter(([, own]) => own > 0n)
    .map(([miner, own]) => ({ miner, units: Number(own) }))
    .sort((a, b) => (a.miner < b.miner ? -1 : 1))
}

/** Rules 4 to 7 of section 21. */
export function rewardsOf(economics: Json, epochSecs: number, units: Json[]): Json {
  const cap = (BigInt(economics.daily_emission) * BigInt(epochSecs)) / 86_400n
  const total = sum(units.map((one) => BigInt(one.units)))
  requireSafe(total)
  let gross: bigint[]
  if (economics.reward_model === 'epoch-pool') gross = units.map((one) => (cap * BigInt(one.units)) / total)
  else {
    gross = units.map((one) => BigInt(one.units) * BigInt(economics.reward_per_unit))
    const asked = sum(gross)
    if (asked > cap) gross = gross.map((g) => (g * cap) / asked)
  }
  const amounts = gross.map((g) => (g * BigInt(economics.fee_split_bp.miner)) / 10_000n)
  const developer = (sum(gross) * BigInt(economics.fee_split_bp.developer)) / 10_000n
  return {
    epoch_cap: String(cap),
    shares: units.map(({ miner, units: own }, i) => ({
      miner,
      units: own,
      g: String(gross[i]),
      amount: String(amounts[i]),
    })),
    totals: {
      units: Number(total),
      gross: String(sum(gross)),
      miner: String(sum(amounts)),
      developer: String(developer),
      treasury: String(sum(gross) - sum(amounts) - developer),
    },
  }
}

/** Numbers of a signed document are safe integers (section 2). */
function requireSafe(units: bigint): void {
  if (units > 2n ** 53n - 1n) throw new Refusal('invalid_field')
}

/** Section 22. */
export function treeOf(projectId: string, epoch: number, payouts: Json[]): Json {
  const paid = payouts.filter(({ amount }) => amount !== '0')
  if (paid.length === 0) return null
  const leafOf = ({ miner, amount }: Json) =>
    H(raw(H(raw(projectId), unsigned(epoch, 32), Buffer.alloc(12), raw(miner), unsigned(BigInt(amount), 32))))
  const leaves = paid.map(leafOf).sort()
  return {
    root: rootOf(leaves),
    leaves: paid.map(({ miner, amount }) => {
      const leaf = leafOf({ miner, amount })
      return { miner, amount, leaf, proof: proofAt(leaves, leaves.indexOf(leaf)) }
    }),
  }
}

const pairOf = (a: string, b: string): string => (a < b ? H(raw(a), raw(b)) : H(raw(b), raw(a)))

const levelAbove = (nodes: string[]): string[] =>
  nodes.flatMap((node, i) => (i % 2 === 1 ? [] : [i + 1 < nodes.length ? pairOf(node, nodes[i + 1]!) : node]))

const rootOf = (nodes: string[]): string => (nodes.length === 1 ? nodes[0]! : rootOf(levelAbove(nodes)))

function proofAt(nodes: string[], index: number): string[] {
  if (nodes.length === 1) return []
  const sibling = nodes[index % 2 === 0 ? index + 1 : index - 1]
  return [...(sibling === undefined ? [] : [sibling]), ...proofAt(levelAbove(nodes), Math.floor(index / 2))]
}

/** Whether a proof leads from a leaf to a root. */
export const leadsTo = (root: string, leaf: string, proof: string[]): boolean =>
  proof.reduce(pairOf, leaf) === root
