import { unixNow } from '../../../durable-objects/clock.ts'
import type { HubContext } from '../../context.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { tokenExample } from '../projects/example.ts'
import { Faucet } from './schema.ts'
import { faucetTerms } from './terms.ts'
import { nextEligibleAt } from './turns.ts'

export const getFaucet = defineRoute(
  {
    method: 'get',
    path: '/v1/faucet',
    operationId: 'getFaucet',
    tag: 'Faucet',
    summary: 'Show the amounts of the faucet, and when the caller may ask',
    description: 'Without a session nobody is eligible.',
    cache: { maxAgeSeconds: 10 },
    responses: ok('The faucet.', Faucet, {
      enabled: true,
      token: tokenExample,
      amount: '1000000000000000000000',
      eth_amount: '10000000000000000',
      cooldown_secs: 86_400,
      eligible: false,
      next_eligible_at: example.time,
    }),
  },
  async (c) => {
    const { settings } = c.var
    const { CHAIN_CONTRACTS: contracts, PROFILE: profile } = settings
    const terms = await faucetTerms(c)
    const enabled = terms.enabled && contracts !== undefined && c.var.services.relayer !== null
    const next = await nextOfCaller(c)
    return json({
      enabled,
      token: contracts
        ? { address: contracts.token, symbol: profile.token_symbol, name: profile.token_name, decimals: 18 }
        : null,
      amount: String(terms.amountWei),
      eth_amount: String(terms.nativeWei),
      cooldown_secs: settings.FAUCET_COOLDOWN_SECONDS,
      eligible: enabled && next !== null && next <= unixNow(),
      next_eligible_at: next === null || next <= unixNow() ? null : next,
    })
  },
)

/** Null for callers without a wallet. */
async function nextOfCaller(c: HubContext): Promise<number | null> {
  const { principal } = c.var
  return principal?.kind === 'session' ? nextEligibleAt(c, principal.address) : null
}
