/** Counts of a network at rest, as the result file shows them. */
export interface Counts {
  epochs_paid: number
  epochs_vetoed: number
  epochs_waiting: number
  slashes_executed: number
  slashes_cancelled: number
  slashes_disputed: number
  slashes_closed: number
  paid: bigint
  taken: bigint
}

export const noCounts = (): Counts => ({
  epochs_paid: 0,
  epochs_vetoed: 0,
  epochs_waiting: 0,
  slashes_executed: 0,
  slashes_cancelled: 0,
  slashes_disputed: 0,
  slashes_closed: 0,
  paid: 0n,
  taken: 0n,
})

export const sum = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((total, amount) => total + amount, 0n)
