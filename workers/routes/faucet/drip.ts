import { unixNow } from '../../../durable-objects/clock.ts'
import { readBalance } from '../../actions/account-state.ts'
import { refusalError } from '../../actions/refusal.ts'
import type { Contracts } from '../../chain/contracts.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, unavailable } from '../../errors.ts'
import { example } from '../../examples.ts'
import { type Answer, json } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { notSetUp } from '../../missing-settings.ts'
import type { RelayerClient } from '../../relayer/client.ts'
import { defineRoute, reply } from '../../route.ts'
import { dripId, nativeCall, tokenCall } from './calls.ts'
import { Drip } from './schema.ts'
import { type FaucetTerms, faucetTerms } from './terms.ts'
import { forgetTurn, type TakenTurn, type Turn, takeTurn } from './turns.ts'

export const drip = defineRoute(
  {
    method: 'post',
    path: '/v1/faucet/drip',
    operationId: 'drip',
    tag: 'Faucet',
    summary: 'Ask for test tokens',
    description:
      'Sends tokens to the wallet of the session, and some native currency while the hub has enough of it. Each wallet may ask once per cooldown, and each client address for a few wallets. After a failed send the wallet may ask again.',
    auth: { session: true },
    budget: 'faucet',
    idempotent: true,
    errors: ['no_validators', 'faucet_empty'],
    responses: reply(
      202,
      'The tokens are being sent. An answer of 429 has the next possible time in `details.next_eligible_at`.',
      Drip,
      {
        tx_hash: example.digest,
        amount: '1000000000000000000000',
        eth_tx_hash: example.manifestAddress,
        eth_amount: '10000000000000000',
        next_eligible_at: example.time,
      },
      { Location: 'The state of the token transfer.' },
    ),
  },
  async (c) => {
    const { clock, relayer, validators } = c.var.services
    const { settings } = c.var
    const wallet = sessionOf(c).address
    const contracts = settings.CHAIN_CONTRACTS
    const terms = await faucetTerms(c)
    if (relayer === null || contracts === undefined) throw notSetUp('The faucet', settings, 'relayer')
    if (!terms.enabled)
      throw closed(
        'The operators of the hub have closed the faucet. `GET /v1/faucet` shows whether it is open.',
      )
    if (settings.FAUCET_REQUIRES_VALIDATORS && (await validators.at(await clock.now())) === null)
      throw new ApiError('no_validators', 'The network has no validators yet, so tokens cannot be used yet.')

    const taken = await takeOpenTurn(c, relayer, wallet, terms)
    if (taken.status === 'wait') {
      // An earlier try may have sent the tokens: what is left to do then is to answer.
      const given = c.var.operation.isRetry ? await findGiven(relayer, taken) : null
      if (given === null) throw waitError(taken)
      return answerGiven(given, terms)
    }
    const { turn } = taken
    try {
      await requireTokens(c, contracts, terms)
      const transfer = await sendTokens({ relayer, contracts, wallet, turn, terms })
      await turn.confirm()
      const native = await sendNative(c, { relayer, wallet, turn, terms })
      return answerGiven({ transfer, native, nextEligibleAt: turn.nextEligibleAt }, terms)
    } catch (error) {
      await turn.release()
      throw error
    }
  },
)

/** Unlike what fails, it does not come back by itself; asking again within minutes is of no use. */
const closed = (message: string): ApiError =>
  new ApiError('unavailable', message, { headers: { 'Retry-After': '3600' } })

interface Given {
  transfer: { id: string; txHash: string }
  /** The transaction of the native part; null if none was sent. */
  native: string | null
  nextEligibleAt: number
}

async function findGiven(
  relayer: RelayerClient,
  { confirmedTurnId, nextEligibleAt }: Waiting,
): Promise<Given | null> {
  if (confirmedTurnId === null) return null
  const [token, native] = await Promise.all([
    relayer.find(dripId('token', confirmedTurnId)),
    relayer.find(dripId('native', confirmedTurnId)),
  ])
  if (!token?.txHash) return null
  return {
    transfer: { id: token.id, txHash: token.txHash },
    native: native?.txHash ?? null,
    nextEligibleAt,
  }
}

const answerGiven = (
  { transfer, native, nextEligibleAt }: Given,
  { amountWei, nativeWei }: FaucetTerms,
): Answer =>
  json(
    {
      tx_hash: transfer.txHash,
      amount: String(amountWei),
      ...(native !== null && { eth_tx_hash: native }),
      eth_amount: native === null ? '0' : String(nativeWei),
      next_eligible_at: nextEligibleAt,
    },
    202,
    { Location: `/v1/transactions/${transfer.id}` },
  )

/** A turn, which a wallet has also when what it was given in the one before was lost. */
async function takeOpenTurn(
  c: HubContext,
  relayer: RelayerClient,
  wallet: string,
  { cooldownSecs }: FaucetTerms,
): Promise<TakenTurn> {
  let taken = await takeTurn(c, wallet, cooldownSecs)
  if (taken.status === 'wait' && taken.confirmedTurnId !== null) {
    const earlier = await relayer.find(dripId('token', taken.confirmedTurnId))
    const lost = earlier?.status === 'reverted' || earlier?.status === 'failed'
    if (lost && (await forgetTurn(c, wallet, taken.confirmedTurnId, cooldownSecs)))
      taken = await takeTurn(c, wallet, cooldownSecs)
  }
  return taken
}

type Waiting = Extract<TakenTurn, { status: 'wait' }>

function waitError({ scope, nextEligibleAt, confirmedTurnId }: Waiting): ApiError {
  const seconds = Math.max(1, nextEligibleAt - unixNow())
  const reasons = {
    wallet:
      confirmedTurnId === null
        ? 'A drip to this wallet is pending; if it fails,'
        : 'This wallet has received tokens already;',
    address: 'Too many wallets of this client address have received tokens;',
    network: 'The daily amount of the faucet is used up;',
  }
  return new ApiError(
    scope === 'network' ? 'faucet_empty' : 'rate_limited',
    `${reasons[scope]} ask again in ${seconds} s.`,
    { details: { next_eligible_at: nextEligibleAt }, headers: { 'Retry-After': String(seconds) } },
  )
}

async function requireTokens(
  c: HubContext,
  { token, faucet }: Contracts,
  { amountWei }: FaucetTerms,
): Promise<void> {
  if ((await readBalance(c, token, faucet)) < amountWei)
    throw new ApiError(
      'faucet_empty',
      'The faucet has too few tokens. The alarm `faucet_low` tells its operators.',
    )
}

interface Gift {
  relayer: RelayerClient
  wallet: string
  turn: Turn
  terms: FaucetTerms
}

async function sendTokens({
  relayer,
  contracts,
  wallet,
  turn: { turnId },
  terms: { amountWei },
}: Gift & { contracts: Contracts }) {
  const request = {
    ...tokenCall(contracts, wallet, amountWei),
    id: dripId('token', turnId),
    action: 'faucet',
    owner: wallet,
    serializationKey: null,
  }
  const result = await relayer.relay(request)
  if (result.status === 'accepted' && result.relay.txHash !== null)
    return { id: result.relay.id, txHash: result.relay.txHash }
  // Taken, and not signed yet: the same turn shows the transaction at the next try.
  if (result.status === 'accepted') throw unavailable('The faucet')
  if (result.status === 'refused') throw unavailable('The faucet', new Error(result.reason))
  throw refusalError(result, request)
}

/** The native part is an extra: the tokens are on their way, whatever becomes of it. */
async function sendNative(
  c: HubContext,
  { relayer, wallet, turn: { turnId }, terms: { nativeWei: amount } }: Gift,
): Promise<string | null> {
  const { FAUCET_NATIVE_RESERVE_WEI: reserve } = c.var.settings
  if (amount === 0n) return null
  try {
    const { balanceWei } = await relayer.health()
    if (BigInt(balanceWei ?? '0') < amount + reserve) return null
    const result = await relayer.relay({
      ...nativeCall(wallet, amount),
      id: dripId('native', turnId),
      action: 'faucet',
      owner: wallet,
      serializationKey: null,
    })
    return result.status === 'accepted' ? result.relay.txHash : null
  } catch (error) {
    console.error(`${c.var.requestId} the native part of a drip was not sent`, error)
    return null
  }
}
