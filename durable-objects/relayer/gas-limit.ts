/** Why a call is refused that takes more gas than it may. */
export const tooMuchGasText = (used: number, gasMax: number): string =>
  `it takes ${used} gas; the limit is ${gasMax}`

/** The gas that a node gives an estimate at most, from its answer that a call takes more; null for any other answer. */
export function estimatedMax(message: string): number | null {
  const [, most] = /gas required exceeds allowance \((\d+)\)/i.exec(message) ?? []
  return most === undefined ? null : Number(most)
}

/** The part of a call that its limit of gas allows, by the reason why all of it was refused; 1 for any other reason. */
export function allowedPart(reason: string | null): number {
  const [, used, gasMax] = /^it takes (\d+) gas; the limit is (\d+)$/.exec(reason ?? '') ?? []
  return used === undefined ? 1 : Number(gasMax) / Number(used)
}
