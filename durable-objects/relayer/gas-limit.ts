/** Why a call is refused that takes more gas than it may. */
export const tooMuchGasText = (used: number, gasMax: number): string =>
  `it takes ${used} gas; the limit is ${gasMax}`

/** The part of a call that its limit of gas allows, by the reason why all of it was refused; 1 for any other reason. */
export function allowedPart(reason: string | null): number {
  const [, used, gasMax] = /^it takes (\d+) gas; the limit is (\d+)$/.exec(reason ?? '') ?? []
  return used === undefined ? 1 : Number(gasMax) / Number(used)
}
