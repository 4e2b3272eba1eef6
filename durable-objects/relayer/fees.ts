export interface Fees {
  maxFeeWei: bigint
  tipWei: bigint
}

export interface FeeMarket {
  baseFeeWei: bigint
  tipWei: bigint
}

/** The most that a transaction of this gas may pay per gas, by the caps per gas and per transaction. */
export const feeCapFor = (
  gas: number,
  { feeCapWei, txFeeCapWei }: { feeCapWei: bigint; txFeeCapWei: bigint },
): bigint => min(feeCapWei, txFeeCapWei / BigInt(gas))

/** The fees of the first attempt, with room for the base fee to double; null when even the present base fee is above the cap. */
export function initialFees({ baseFeeWei, tipWei }: FeeMarket, capWei: bigint): Fees | null {
  if (baseFeeWei + tipWei > capWei) return null
  return { maxFeeWei: min(2n * baseFeeWei + tipWei, capWei), tipWei }
}

/**
 * The fees of a replacement: both rise by an eighth, or to what the chain asks for, since pools ask for a tenth. Null when the cap leaves no
 * room; the earlier attempt is sent again then.
 */
export function replacementFees(
  previous: Fees,
  { baseFeeWei, tipWei }: FeeMarket,
  capWei: bigint,
): Fees | null {
  const maxFeeFloor = raise(previous.maxFeeWei)
  const tipFloor = raise(previous.tipWei)
  if (maxFeeFloor > capWei || tipFloor > capWei) return raisedToCap(previous, capWei)
  const raisedTip = max(tipFloor, min(tipWei, capWei))
  return { maxFeeWei: min(max(maxFeeFloor, 2n * baseFeeWei + raisedTip), capWei), tipWei: raisedTip }
}

/** The last raise may be smaller than an eighth, as long as pools still take it. */
function raisedToCap(previous: Fees, capWei: bigint): Fees | null {
  if (capWei * 10n < previous.maxFeeWei * 11n || capWei * 10n < previous.tipWei * 11n) return null
  const tipWei = min(raise(previous.tipWei), capWei)
  return { maxFeeWei: capWei, tipWei }
}

const raise = (fee: bigint): bigint => fee + fee / 8n + 1n
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
