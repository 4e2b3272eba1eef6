import { unixNow } from '../../../durable-objects/clock.ts'
import { networkToken } from '../../chain/token.ts'
import type { HubContext } from '../../context.ts'
import { json } from '../../http/answer.ts'
import { defineRoute, ok } from '../../route.ts'
import { Faucet, faucetExample } from './schema.ts'
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
    responses: ok('The faucet.', Faucet, faucetExample),
  },
  async (c) => json(await readFaucet(c)),
)

/** The faucet as the caller sees it. */
export async function readFaucet(c: HubContext) {
  const { CHAIN_CONTRACTS: contracts, PROFILE: profile } = c.var.settings
  const terms = await faucetTerms(c)
  const enabled = terms.enabled && contracts !== undefined && c.var.services.relayer !== null
  const next = await nextOfCaller(c, terms.cooldownSecs)
  return {
    enabled,
    token: contracts ? networkToken(profile, contracts.token) : null,
    amount: String(terms.amountWei),
    eth_amount: String(terms.nativeWei),
    cooldown_secs: terms.cooldownSecs,
    eligible: enabled && next !== null && next <= unixNow(),
    next_eligible_at: next === null || next <= unixNow() ? null : next,
  }
}

/** Null for callers without a wallet. */
async function nextOfCaller(c: HubContext, cooldownSecs: number): Promise<number | null> {
  const { principal } = c.var
  return principal?.kind === 'session' ? nextEligibleAt(c, principal.address, cooldownSecs) : null
}
