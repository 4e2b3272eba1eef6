import { basisPointsMax, FormatError } from '../encoding/index.ts'
import type { RewardModel } from '../manifest/index.ts'

/** Units of one payout address in one epoch. */
export interface MinerUnits {
  /** Payout address. */
  readonly miner: string
  /** Compute units, a positive safe integer. */
  readonly units: number
}

/** The members of a finality record that rewards need (section 19). */
export interface CreditedRecord {
  readonly gas_used: number
  readonly voters: readonly { readonly payout_address: string }[]
}

/** The members of `consensus.economics` that rewards need. Amounts are decimal strings in base units. */
export interface RewardTerms {
  readonly reward_model: RewardModel
  readonly reward_per_unit: string
  readonly daily_emission: string
  readonly fee_split_bp: { readonly miner: number; readonly developer: number }
}

/** One recipient's share of an epoch: `g` before the split, `amount` what it is paid. */
export interface Share extends MinerUnits {
  readonly g: string
  readonly amount: string
}

/** Sums of an epoch. `miner + developer + treasury = gross`, and the treasury takes all rounding. */
export interface RewardTotals {
  readonly units: number
  readonly gross: string
  readonly miner: string
  readonly developer: string
  readonly treasury: string
}

/** The rewards of one epoch. */
export interface EpochRewards {
  readonly epoch_cap: string
  readonly shares: readonly Share[]
  readonly totals: RewardTotals
}

/** Units of one record, credited to each of its voters: `max(1, ceil(gas_used / gas_per_unit))`. */
export function unitsOfGas(gasUsed: number, gasPerUnit: number): number {
  const units = (BigInt(gasUsed) + BigInt(gasPerUnit) - 1n) / BigInt(gasPerUnit)
  return toCount(units > 1n ? units : 1n)
}

/**
 * Sums the units of the final records of one (project, epoch) per payout address (section 21, rule 1). Several keys may
 * share one address.
 * @returns Ascending by address, before any cap.
 */
export function sumUnits(records: Iterable<CreditedRecord>, gasPerUnit: number): MinerUnits[] {
  const sums = new Map<string, bigint>()
  for (const record of records) {
    const units = BigInt(unitsOfGas(record.gas_used, gasPerUnit))
    for (const { payout_address: miner } of record.voters) sums.set(miner, (sums.get(miner) ?? 0n) + units)
  }
  return [...sums].map(([miner, units]) => ({ miner, units: toCount(units) })).sort(byMiner)
}

/**
 * Caps the units of an epoch (section 21, rules 2 and 3). The recipients cap comes first: it keeps those with most units,
 * ties to the lower address. The units cap then scales the kept ones down, drops zeros and gives nothing back to those
 * that the first cap left out.
 *
 * @param maxRecipients `max_recipients_per_epoch`; 0 is off.
 * @param maxUnits `max_units_per_epoch`; 0 is off.
 * @returns Ascending by address.
 */
export function capUnits(
  units: readonly MinerUnits[],
  maxRecipients: number,
  maxUnits: number,
): MinerUnits[] {
  let kept = [...units]
  if (maxRecipients > 0 && kept.length > maxRecipients)
    kept = kept.sort((a, b) => b.units - a.units || byMiner(a, b)).slice(0, maxRecipients)
  const sum = sumOf(kept.map((one) => BigInt(one.units)))
  if (maxUnits > 0 && sum > BigInt(maxUnits))
    kept = kept
      .map(({ miner, units: own }) => ({ miner, units: Number((BigInt(own) * BigInt(maxUnits)) / sum) }))
      .filter((one) => one.units > 0)
  return kept.sort(byMiner)
}

/** The most an epoch may pay: `floor(daily_emission × epoch_secs / 86400)`, in base units. */
export function epochCap(dailyEmission: string, epochSecs: number): bigint {
  return (BigInt(dailyEmission) * BigInt(epochSecs)) / 86_400n
}

/**
 * Computes what an epoch pays for capped units (section 21, rules 4 to 7).
 * @param units Ascending by address; without any, everything is 0.
 */
export function computeRewards(
  terms: RewardTerms,
  epochSecs: number,
  units: readonly MinerUnits[],
): EpochRewards {
  const cap = epochCap(terms.daily_emission, epochSecs)
  const gross = grossShares(terms, cap, units)
  const amounts = gross.map((g) => basisPoints(g, terms.fee_split_bp.miner))
  const grossTotal = sumOf(gross)
  const minerTotal = sumOf(amounts)
  const developerTotal = basisPoints(grossTotal, terms.fee_split_bp.developer)
  return {
    epoch_cap: String(cap),
    shares: units.map((one, i) => ({
      miner: one.miner,
      units: one.units,
      g: String(gross[i]),
      amount: String(amounts[i]),
    })),
    totals: {
      units: toCount(sumOf(units.map((one) => BigInt(one.units)))),
      gross: String(grossTotal),
      miner: String(minerTotal),
      developer: String(developerTotal),
      treasury: String(grossTotal - minerTotal - developerTotal),
    },
  }
}

/** A share in basis points, rounded down. */
export function basisPoints(amount: bigint, bp: number): bigint {
  return (amount * BigInt(bp)) / BigInt(basisPointsMax)
}

function grossShares(terms: RewardTerms, cap: bigint, units: readonly MinerUnits[]): bigint[] {
  const counts = units.map((one) => BigInt(one.units))
  if (terms.reward_model === 'epoch-pool') {
    const sum = sumOf(counts)
    return sum === 0n ? counts : counts.map((count) => (cap * count) / sum)
  }
  const uncapped = counts.map((count) => count * BigInt(terms.reward_per_unit))
  const sum = sumOf(uncapped)
  return sum > cap ? uncapped.map((g) => (g * cap) / sum) : uncapped
}

const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)

/** Units are JSON numbers in receipts, so a sum beyond the safe integers has no receipt. */
function toCount(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new FormatError('units', 'at most 2^53 - 1 in total')
  return Number(value)
}

const byMiner = (a: MinerUnits, b: MinerUnits): number => (a.miner < b.miner ? -1 : a.miner > b.miner ? 1 : 0)
