import { encodeFunctionData, type Hex } from 'viem'
import { hubTokenAbi } from '../../../contracts/generated/contracts.ts'
import type { GaslessPayload, TypedData } from '../../../protocol/actions/index.ts'
import { bytesToHex } from '../../../protocol/encoding/index.ts'
import { deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import { evmAddress } from '../../../protocol/signatures/index.ts'
import { json } from '../../http/answer.ts'
import { chain, finalizeRelays, mint, signedPayload } from '../../test/chain.ts'
import { bodyOf, client, errorOf } from '../../test/client.ts'
import { answer, answerGasless } from '../../test/handle.ts'
import type { RequestedAction } from '../action-calls.ts'
import type { DirectTransaction } from '../direct-transaction.ts'
import { payloadExample } from '../gasless-schema.ts'
import { submitOnly } from '../gasless-steps.ts'
import { preparePayload } from '../prepare.ts'

export const collateral = 5n * 10n ** 18n

/** 32 bytes nobody has used. */
export const fresh32 = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

type Payload = GaslessPayload & { direct_tx: DirectTransaction }

export type SignedBody = ReturnType<typeof signedPayload>

export const steps = submitOnly(payloadExample('unbond', {}))

/** A wallet with tokens and nothing else: it pays for no transaction. */
export async function createOwner(tokens = 2n * collateral) {
  const key = fresh32()
  const account = evmAddress(key)
  await mint(account, tokens)

  const payloadOf = async (request: RequestedAction) =>
    (await (await answer(async (c) => json(await preparePayload(c, request)))).json()) as Payload
  const signed = (payload: Payload) => signedPayload(key, payload)
  const post = (request: RequestedAction, body: unknown) =>
    answerGasless(steps, { ...request, requireState() {} }, body)
  /** Both steps, in a final block, and read by the indexer. */
  const act = async (action: RequestedAction['action'], message: RequestedAction['message']) => {
    const request = { action, account, message }
    const response = await post(request, signed(await payloadOf(request)))
    if (response.status !== 202) return errorOf(response)
    const { id } = await bodyOf(response)
    await finalizeRelays()
    return readTransaction(id)
  }
  /** Posts the request, signed as it is to be. */
  const submit = async (request: RequestedAction) => post(request, signed(await payloadOf(request)))
  return { account, payloadOf, signed, post, submit, act }
}

/** The public record of an action. */
export const readTransaction = (id: string) => bodyOf(client().get(`/v1/transactions/${id}`))

/** A bond of a device of its own, and the subscription that it makes. */
export function bondOf(owner: string, amount = collateral) {
  const [projectId, nodeKey] = [fresh32(), fresh32()]
  const message = { owner, projectId, nodeKey, amount: String(amount) }
  const subscriptionId = deriveSubscriptionId(projectId, owner, nodeKey)
  return { action: 'bond' as const, account: owner, message, subscriptionId }
}

export const setPayout = (owner: string, subscriptionId: string, payout: string): RequestedAction => ({
  action: 'set_payout',
  account: owner,
  message: { owner, subscriptionId, payout },
})

export const approval = () => {
  const args = [(chain?.contracts.staking ?? '0x') as Hex, collateral] as const
  return encodeFunctionData({ abi: hubTokenAbi, functionName: 'approve', args })
}

/** The call data with which a stranger who watches the mempool submits a permit. */
export function permitCall({
  permit,
  permit_signature = '0x',
}: {
  permit?: TypedData
  permit_signature?: string
}) {
  const { owner, spender, value, deadline } = permit?.message ?? {}
  return encodeFunctionData({
    abi: hubTokenAbi,
    functionName: 'permit',
    args: [
      owner as Hex,
      spender as Hex,
      BigInt(String(value ?? 0)),
      BigInt(String(deadline ?? 0)),
      Number.parseInt(permit_signature.slice(130), 16),
      permit_signature.slice(0, 66) as Hex,
      `0x${permit_signature.slice(66, 130)}`,
    ],
  })
}
