export const noCounts = () => ({
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

export type Counts = ReturnType<typeof noCounts>
