import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { RelayView } from '../../durable-objects/relayer.ts'
import type { HubContext } from '../context.ts'
import { ApiError, unavailable } from '../errors.ts'
import { json } from '../http/answer.ts'
import { transactionView } from '../routes/network/transaction.ts'
import { refusalError } from './refusal.ts'

/** An action whose owner signed it, after every check that needs no chain. */
export interface SignedAction {
  /** As GET /v1/transactions/{id} shows it: `bond`, `unbond`, … */
  action: string
  /** EIP-712 digest of the hub's own rebuild of what was signed. */
  digest: string
  owner: string
  /** The contract the signature is for. */
  contract: string
  /** The signed nonce of the owner in that contract. */
  nonce: bigint
  /** The call that carries the signature. */
  data: Hex
  /** What the owner must hold in tokens, for a bond. */
  tokensWei?: bigint
}

const abi = parseAbi([
  'function nonces(address owner) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
])
const readGas = 100_000

/**
 * Relays a signed action and answers 202 with its state: the last checks of a signed body, against the chain. A route
 * that relays makes its state checks and the checks of the signature first, and returns what this returns.
 *
 * The same action posted again, at once or later, is answered with what became of it.
 *
 * @throws {@link ApiError} 409 `conflict` for a nonce that is not the current one or another action on its way,
 * 422 `insufficient_collateral` or another code with the contract's reason, 503 `unavailable`.
 */
export async function relayAction(c: HubContext, signed: SignedAction): Promise<Response> {
  const { relayer } = c.var.services
  if (relayer === null) throw unavailable('The relay')
  const known = await relayer.find(signed.digest)
  if (known) return accepted(known)
  await requireCurrentNonce(c, signed)
  await requireTokens(c, signed)
  const result = await relayer.relay({
    id: signed.digest,
    action: signed.action,
    owner: signed.owner,
    lane: `${signed.owner}:${signed.contract}`,
    to: signed.contract,
    data: signed.data,
    valueWei: '0',
  })
  if (result.status !== 'accepted') throw refusalError(result)
  return accepted(result.relay)
}

/** The owner's current nonce in a contract, for the payload it signs next. */
export const currentNonce = (c: HubContext, contract: string, owner: string): Promise<bigint> =>
  readNumber(c, contract, encodeFunctionData({ abi, functionName: 'nonces', args: [owner as Hex] }))

const accepted = (relay: RelayView): Response =>
  json(transactionView(relay), 202, { Location: `/v1/transactions/${relay.id}` })

async function requireCurrentNonce(c: HubContext, { contract, owner, nonce }: SignedAction): Promise<void> {
  const current = await currentNonce(c, contract, owner)
  if (current !== nonce)
    throw new ApiError(
      'conflict',
      `The signed nonce is ${nonce}, the account's current one is ${current}. Ask for a fresh payload and sign it.`,
      { details: { reason: 'nonce', current_nonce: String(current) } },
    )
}

async function requireTokens(c: HubContext, { owner, tokensWei }: SignedAction): Promise<void> {
  if (tokensWei === undefined) return
  const token = c.var.settings.CHAIN_CONTRACTS?.token
  if (token === undefined) throw unavailable('The relay')
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner as Hex] })
  const balance = await readNumber(c, token, data)
  if (balance < tokensWei)
    throw new ApiError(
      'insufficient_collateral',
      `The wallet holds ${balance} of the ${tokensWei} it bonds.`,
      {
        details: { balance: String(balance), amount: String(tokensWei) },
      },
    )
}

async function readNumber(c: HubContext, contract: string, data: Hex): Promise<bigint> {
  try {
    const answer = await c.var.services.chain?.call(contract, data, readGas)
    if (answer && answer !== '0x') return BigInt(answer)
  } catch (error) {
    throw unavailable('The chain', error)
  }
  throw unavailable('The chain', new Error(`${contract} does not answer ${data.slice(0, 10)}`))
}
