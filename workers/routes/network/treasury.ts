import * as z from 'zod'
import { requireContracts } from '../../chain/contracts.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { TreasuryTokens } from '../../stores/treasury-tokens.ts'
import { readHoldings } from '../accounts/balances.ts'
import { TokenBalance } from '../earnings/balances.ts'
import { tokenExample } from '../projects/example.ts'

/** Each is a question to the chain. */
const tokensMax = 20

export const getTreasury = defineRoute(
  {
    method: 'get',
    path: '/v1/network/treasury',
    operationId: 'getTreasury',
    tag: 'Network',
    summary: 'Read what the treasury holds',
    description: `The coin of the chain under the address zero, the token of the network, and the ${tokensMax} other tokens at most in which most of the newest settled epochs pay the treasury. A token that does not answer is left out.`,
    cache: { maxAgeSeconds: 10, keptSeconds: 10 },
    responses: ok(
      'The treasury.',
      z.strictObject({ address: Address, balances: z.array(TokenBalance) }).meta({ id: 'Treasury' }),
      { address: example.wallet, balances: [{ token: tokenExample, amount: '12000000000000000000' }] },
    ),
  },
  async (c) => {
    const { treasury: address } = requireContracts(c)
    const tokens = await c.var.services.store(TreasuryTokens).used(tokensMax)
    const { balances } = await readHoldings(c, address, tokens)
    return json({ address, balances })
  },
)
