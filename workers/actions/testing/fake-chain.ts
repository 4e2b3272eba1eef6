import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach } from 'vitest'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import type { GaslessPayload } from '../../../protocol/actions/index.ts'
import { bytesToHex } from '../../../protocol/encoding/index.ts'
import { evmAddress } from '../../../protocol/signatures/index.ts'
import { json } from '../../http/answer.ts'
import { services } from '../../services.ts'
import { signedPayload } from '../../test/chain.ts'
import { answer, answerGasless } from '../../test/handle.ts'
import type { RequestedAction } from '../action-calls.ts'
import { payloadExample } from '../gasless-schema.ts'
import { submitOnly } from '../gasless-steps.ts'
import { preparePayload } from '../prepare.ts'

export const freshKey = () => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

/** 32 bytes, all the same. */
export const id = (byte: string) => `0x${byte.repeat(32)}`

export const unbond = (account: string): RequestedAction => ({
  action: 'unbond',
  account,
  message: { owner: account, subscriptionId: id('51') },
})

export const bond = (account: string, amount: string): RequestedAction => ({
  action: 'bond',
  account,
  message: { owner: account, projectId: id('91'), nodeKey: id('0e'), amount },
})

/** The object of the hub's relayer. */
export const relayerObject = () => env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`)

export const example = payloadExample('unbond', {})

/** The state of what an action is about allows it. */
export const allowed = () => {}

/** A wallet that asks for a payload, signs it as it is, and posts it. */
export async function prepare(request: (account: string) => RequestedAction, key = freshKey()) {
  const requested = request(evmAddress(key))
  const payload = (await (
    await answer(async (c) => json(await preparePayload(c, requested)))
  ).json()) as GaslessPayload
  const body: Record<string, unknown> = signedPayload(key, payload)
  const post = (change: Record<string, unknown> = {}) =>
    answerGasless(submitOnly(example), { ...requested, requireState: allowed }, { ...body, ...change })
  return { key, requested, payload, body, post }
}

/** A chain behind `fetch` on which every wallet has the nonce 7, the same for all tests of a file. */
export function fakeChain() {
  const chain = new FakeChain()
  beforeEach(() => {
    chain.install()
    chain.down = false
    chain.callAnswer = 7n
    chain.revert = null
  })

  /** Lets everything that was accepted come into a final block. */
  const finalize = async () => {
    const { relayer } = services(env)
    while (((await relayer?.health())?.open ?? 0) > 0) {
      await new Promise((resolve) => setTimeout(resolve))
      chain.mine()
      await runDurableObjectAlarm(relayerObject())
    }
  }

  return { chain, finalize }
}
