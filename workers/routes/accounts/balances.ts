import * as z from 'zod'
import { requireContracts } from '../../chain/contracts.ts'
import { nativeToken, networkToken } from '../../chain/token.ts'
import type { HubContext } from '../../context.ts'
import { unavailable } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Amount } from '../../http/formats.ts'
import { spendAddressBudget } from '../../middleware/rate-limit.ts'
import { defineRoute, ok } from '../../route.ts'
import type { Token } from '../../stores/schema/index.ts'
import { SubscriptionLists } from '../../stores/subscription-lists.ts'
import { balancesOf, TokenBalance } from '../earnings/balances.ts'
import { tokenExample } from '../projects/example.ts'
import { AccountParams } from './profile.ts'

/** Each is a question to the chain. */
const tokensMax = 20
/** Each costs a read. */
const payoutsMax = 1_000

const Balances = z
  .strictObject({
    address: Address,
    balances: z
      .array(TokenBalance)
      .describe('The coin of the chain under the address zero, the token of the network, then others.'),
    unclaimed: z.array(TokenBalance).describe('Released payouts that are not claimed yet.'),
    unclaimed_partial: z
      .boolean()
      .describe(
        `Whether there are more than the ${payoutsMax} unclaimed payouts that \`unclaimed\` sums up.`,
      ),
    collateral_bonded: Amount.describe('Collateral of active, paused and jailed subscriptions.'),
    block_number: z.int().describe('The block that the balances are of.'),
  })
  .meta({ id: 'Balances' })

export const getBalances = defineRoute(
  {
    method: 'get',
    path: '/v1/accounts/{address}/balances',
    operationId: 'getBalances',
    tag: 'Accounts',
    summary: 'Read the balances of a wallet',
    description: `Shows the coin of the chain, the token of the network, and the tokens that the wallet's newest subscriptions pay in, ${tokensMax} at most. A token that does not answer is left out. Sums up the first ${payoutsMax} unclaimed payouts.`,
    params: AccountParams,
    cache: { maxAgeSeconds: 5 },
    errors: ['not_found'],
    responses: ok('The balances.', Balances, {
      address: example.wallet,
      balances: [
        { token: nativeToken({ symbol: 'ETH', name: 'Ether' }), amount: '10000000000000000' },
        { token: tokenExample, amount: '994000000000000000000' },
      ],
      unclaimed: [{ token: tokenExample, amount: '1330000000000000' }],
      unclaimed_partial: false,
      collateral_bonded: '6000000000000000000',
      block_number: 21_402,
    }),
  },
  async (c, { params: { address } }) => {
    const { claims, clock, collateral } = c.var.services
    const lists = c.var.services.store(SubscriptionLists)
    const now = await clock.now()
    const [payouts, totals, tokens] = await Promise.all([
      claims.claimable(address, null, now, payoutsMax + 1),
      collateral.totals(address, now),
      lists.tokens(address, tokensMax),
    ])
    // The block, the coin and the network's token come first.
    await spendAddressBudget(c, 'chain_calls', 3 + tokens.length)
    const { block, balances } = await readHoldings(c, address, tokens)
    return json({
      address,
      balances,
      unclaimed: balancesOf(
        payouts.slice(0, payoutsMax).map(({ token, amount }) => ({ token, amount: BigInt(amount) })),
      ),
      unclaimed_partial: payouts.length > payoutsMax,
      collateral_bonded: String(totals.bonded),
      block_number: block,
    })
  },
)

/** The balances of an account in the coin, the network's token and other tokens. @throws {@link ApiError} 503 `unavailable`. */
export async function readHoldings(c: HubContext, account: string, others: readonly Token[] = []) {
  const { PROFILE: profile, CHAIN_COIN: coin } = c.var.settings
  const own = networkToken(profile, requireContracts(c).token)
  const tokens = [own, ...others.filter(({ address }) => address !== own.address)]
  const holdings = await c.var.services.chain
    ?.holdings(
      account,
      tokens.map(({ address }) => address),
    )
    .catch((error: unknown) => {
      throw unavailable('The chain', error)
    })
  if (holdings === undefined) throw unavailable('The chain')
  const { block, native, tokens: held } = holdings
  return {
    block,
    balances: [
      { token: nativeToken(coin), amount: String(native) },
      ...tokens.flatMap((token, i) => {
        const amount = held[i] ?? null
        return amount === null ? [] : [{ token, amount: String(amount) }]
      }),
    ] satisfies z.output<typeof TokenBalance>[],
  }
}
