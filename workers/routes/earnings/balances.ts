import * as z from 'zod'
import { Amount, TokenView } from '../../http/formats.ts'
import type { Token } from '../../stores/schema/index.ts'

export const TokenBalance = z.strictObject({ token: TokenView, amount: Amount }).meta({ id: 'TokenBalance' })

/** A sum for each token, by its address. */
export const balancesOf = (
  sums: readonly { token: Token; amount: bigint }[],
): z.output<typeof TokenBalance>[] =>
  [...Map.groupBy(sums, ({ token }) => token.address)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) =>
      first === undefined
        ? []
        : [
            {
              token: first.token,
              amount: String(others.reduce((total, { amount }) => total + amount, first.amount)),
            },
          ],
    )
