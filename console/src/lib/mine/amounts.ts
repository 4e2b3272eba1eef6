import type { Token } from '../hub.ts'

/** Whole tokens as a person types them, in base units; null if the text is not an amount above zero. */
export function baseUnits(text: string, decimals: number): string | null {
  const [, whole = '', part = ''] = /^(\d{1,30})(?:\.(\d*))?$/.exec(text.trim()) ?? []
  if (whole === '' || part.length > decimals) return null
  const amount = BigInt(whole + part.padEnd(decimals, '0'))
  return amount > 0n ? String(amount) : null
}

/** Base units as a person types them. */
export function typed(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const part = digits.slice(point).replace(/0+$/, '')
  return part === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${part}`
}

/** The key by which a claimed amount is hidden; amounts with other keys can be claimed. */
export const claimKey = ({
  project_id,
  epoch,
  account,
}: {
  project_id: string
  epoch: number
  account: string
}): string => `${project_id} ${epoch} ${account}`

/** Different tokens are not added up. */
export function byToken(
  all: readonly { token: Token; amount: string }[],
): { token: Token; amount: string }[] {
  const sums = new Map<string, { token: Token; amount: string }>()
  for (const { token, amount } of all) {
    const sum = sums.get(token.address)?.amount ?? '0'
    sums.set(token.address, { token, amount: String(BigInt(sum) + BigInt(amount)) })
  }
  return [...sums.values()]
}

/** The amount that is missing to healthy collateral: 120 % of the project's minimum, so that one slash does not stop the device. */
export function healthyAmount(least: string, bonded: string): string {
  const missing = (BigInt(least) * 12n + 9n) / 10n - BigInt(bonded)
  return String(missing > 0n ? missing : 0n)
}
