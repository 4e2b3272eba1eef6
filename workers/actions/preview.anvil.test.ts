import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { deriveProjectId, deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { readSettings } from '../env.ts'
import { json } from '../http/answer.ts'
import { chain, finalizeRelays, mint, passUnbonding, rpc, signedPayload } from '../test/chain.ts'
import { bodyOf, client } from '../test/client.ts'
import { answer, answerGasless } from '../test/handle.ts'
import type { RequestedAction } from './action-calls.ts'
import { payloadExample } from './gasless-schema.ts'
import { submitOnly } from './gasless-steps.ts'
import { type PreparedPayload, preparePayload } from './prepare.ts'

const fresh32 = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
const hub = 10n ** 18n
const steps = submitOnly(payloadExample('unbond', {}))
const symbol = readSettings(env).PROFILE.token_symbol

/** A wallet that holds tokens and no coin. */
async function createOwner() {
  const key = fresh32()
  const account = evmAddress(key)
  await mint(account, 20n * hub)
  const prepare = (action: RequestedAction['action'], message: RequestedAction['message']) =>
    bodyOf<PreparedPayload>(answer(async (c) => json(await preparePayload(c, { action, account, message }))))
  const preview = async (...of: Parameters<typeof prepare>) => (await prepare(...of)).preview
  /** Signs and relays what was previewed. @returns The preview, and the gas that the transaction took. */
  const act = async (...[action, message]: Parameters<typeof prepare>) => {
    const gasPrice = Number(await rpc<string>('eth_gasPrice'))
    const payload = await prepare(action, message)
    const request = { action, account, message, requireState() {} }
    const { id } = await bodyOf(answerGasless(steps, request, signedPayload(key, payload)))
    await finalizeRelays()
    const { status, tx_hash } = await bodyOf(client().get(`/v1/transactions/${id}`))
    const { gasUsed } = await rpc<{ gasUsed: string }>('eth_getTransactionReceipt', tx_hash)
    return {
      preview: payload.preview,
      status,
      said: Number(payload.preview?.cost_wei) / gasPrice,
      took: Number(gasUsed),
    }
  }
  return { account, preview, act }
}

describe.skipIf(chain === null)('a preview, on the contracts', () => {
  test('describes the effect of each action, and estimates its cost', async () => {
    const { account, preview, act } = await createOwner()
    const [worker, consensusHash, manifestHash, nodeKey] = [fresh32(), fresh32(), fresh32(), fresh32()]
    const projectId = deriveProjectId(readSettings(env).PROFILE, account, 'previewed')
    const subscriptionId = deriveSubscriptionId(projectId, account, nodeKey)
    const hashes = { consensusHash, manifestHash }
    const register = { developer: account, slug: 'previewed', worker, ...hashes }
    const bond = { owner: account, projectId, nodeKey, amount: String(6n * hub) }
    const own = { owner: account, subscriptionId }
    const payout = `0x${'0f'.repeat(20)}`
    const publish = (version: number) => ({ developer: account, projectId, version, ...hashes })
    const held = `12 ${symbol} of collateral`

    const expectEffect = async (effect: string, ...of: Parameters<typeof act>) => {
      const { preview, status, said, took } = await act(...of)
      const { ok, reason, effects } = preview ?? {}
      expect([of[0], status, ok, reason, effects?.[0]]).toEqual([of[0], 'confirmed', true, null, effect])
      // The estimate does not count the refund for cleared storage.
      expect(said / took).toBeGreaterThan(0.85)
      expect(said / took).toBeLessThan(1.35)
    }
    const expectRefusal = async (reason: string, ...of: Parameters<typeof act>) =>
      expect(await preview(...of)).toMatchObject({ ok: false, reason, cost_wei: null })

    await expectRefusal(`The project ${projectId} is not registered.`, 'publish_version', publish(2))
    await expectEffect(
      `Registers the project "previewed" of ${account} with its first version.`,
      'register_project',
      register,
    )
    await expectRefusal(`The project ${projectId} is registered already.`, 'register_project', register)
    await expectEffect(
      `Publishes version 2 of project ${projectId} with the manifest ${manifestHash}.`,
      'publish_version',
      publish(2),
    )
    await expectRefusal(
      'Version 2 is published, and the registry accepts only later versions.',
      'publish_version',
      publish(2),
    )

    await expectRefusal(
      `The subscription ${subscriptionId} has no collateral, which does not allow this.`,
      'unbond',
      own,
    )
    await expectRefusal(`The wallet holds 20 ${symbol} of the 21.5 ${symbol} to be moved.`, 'bond', {
      ...bond,
      amount: String((43n * hub) / 2n),
    })
    await expectRefusal('The amount must be above 0.', 'bond', { ...bond, amount: '0' })
    const bonded = `Moves 6 ${symbol} from ${account} to the collateral of subscription ${subscriptionId} to project ${projectId}.`
    await expectEffect(bonded, 'bond', bond)
    await expectEffect(bonded, 'bond', bond)
    const batch = {
      owner: account,
      ...{ projectIds: Array(3).fill(projectId), nodeKeys: [fresh32(), fresh32(), fresh32()] },
      amounts: Array(3).fill(String(hub)),
    }
    await expectRefusal(`The wallet holds 8 ${symbol} of the 12 ${symbol} to be moved.`, 'bond_batch', {
      ...batch,
      amounts: Array(3).fill(String(4n * hub)),
    })
    await expectEffect(
      `Moves 3 ${symbol} from ${account} to the collateral of 3 subscriptions: all of it, or nothing.`,
      'bond_batch',
      batch,
    )
    await expectEffect(`Pays later rewards of subscription ${subscriptionId} to ${payout}.`, 'set_payout', {
      ...own,
      payout,
    })
    await expectRefusal(
      `The subscription ${subscriptionId} is bonded, which does not allow this.`,
      'withdraw',
      own,
    )
    const stranger = await createOwner()
    expect(await stranger.preview('unbond', { owner: stranger.account, subscriptionId })).toMatchObject({
      ok: false,
      reason: `${stranger.account} is not the owner of the subscription ${subscriptionId}.`,
    })
    await expectEffect(
      `Starts the unbonding of subscription ${subscriptionId}: its device gets no new work.`,
      'unbond',
      own,
    )
    expect(await preview('withdraw', own)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^The collateral is unbonding until \d{4}-\d\d-\d\dT[\d:]{8}Z\.$/),
      effects: [`Moves ${held} back to ${account}.`, `Closes subscription ${subscriptionId}.`],
    })
    await passUnbonding()
    await expectEffect(`Moves ${held} back to ${account}.`, 'withdraw', own)
  })
})
