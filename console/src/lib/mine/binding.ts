/** Binds a device by the code of `nodectl bind`, and unbinds one; loaded when somebody does. */
import { bindingSkewSeconds, parseBindingCode } from '../../../../protocol/identity/index.ts'
import { hub } from '../hub.ts'
import { me } from '../texts/me.ts'
import { WalletProblem } from '../wallet/problems.ts'
import type { Signer, Wish } from '../wallet/signing.svelte.ts'
import { type Bound, unbindingOf } from './unbinding.ts'

export type Offer = NonNullable<ReturnType<typeof parseBindingCode>>

/** Reads a binding code. @param now Unix seconds. @returns Its offer, or its problem as a sentence. */
export async function readCode(
  text: string,
  address: string,
  now: number,
): Promise<{ offer: Offer } | { problem: string }> {
  const t = me.bind.problems
  const offer = await offerOf(text)
  if (offer === null) return { problem: text.includes('Node key: ') ? t.text : t.form }
  if (offer.owner !== address) return { problem: t.owner(offer.owner) }
  if (Math.abs(now - offer.issued_at) > bindingSkewSeconds) return { problem: t.old }
  return { offer }
}

/** The offer in a text; null if the text is not a code for this network. */
export async function offerOf(text: string): Promise<Offer | null> {
  const { profile } = await hub.network()
  return parseBindingCode(profile, text)
}

/** @param bound - Called as soon as the hub has the binding, while the dialog is still open. */
export const bindWish = (offer: Offer, bound?: () => void): Wish => ({
  title: me.bind.do,
  asked: { owner: offer.owner, node_id: offer.node_id, public_key: offer.public_key },
  perform: (signer) => bind(offer, signer).then(bound),
})

async function bind(offer: Offer, signer: Signer): Promise<void> {
  const owner_signature = await signRecord(offer, me.bind.effects(offer.node_id), signer)
  const { hub: caller, options } = signer
  const { signal } = options
  await caller.call('POST /v1/devices/bind', { body: { ...offer, owner_signature }, signal })
}

export const unbindWish = ({ owner, node_id, public_key }: Bound): Wish => ({
  title: me.unbind.do,
  asked: { owner, node_id, public_key },
  perform: (signer) => unbind({ owner, node_id, public_key }, signer),
})

async function unbind(bound: Bound, signer: Signer): Promise<void> {
  const { hub: caller, options } = signer
  const { signal } = options
  const { owner, public_key } = bound
  const body = { owner, public_key, unbind: true }
  const { message } = await caller.call('POST /v1/devices/binding-message', { body, signal })
  const { profile } = await hub.network()
  const record = unbindingOf(profile, message, bound)
  if (record === null) throw new WalletProblem('differs')
  const owner_signature = await signRecord(record, me.unbind.effects(bound.node_id), signer)
  await caller.call('POST /v1/devices/unbind', { body: { ...record, owner_signature }, signal })
}

/** Shows a record of a device, and has its owner sign it. */
async function signRecord(
  record: Pick<Offer, 'owner' | 'node_id' | 'public_key' | 'issued_at' | 'message'>,
  effects: readonly string[],
  { wallet, show, options: { signal } }: Signer,
): Promise<string> {
  const { owner, node_id, public_key, issued_at, message } = record
  await show({
    effects,
    doubt: null,
    fields: Object.entries({ owner, node_id, public_key, issued_at }).map(([name, value]) => [
      name,
      String(value),
    ]),
    domain: null,
    costWei: null,
    signatures: 1,
  })
  const signature = (await wallet.signMessage({ message })).toLowerCase()
  signal?.throwIfAborted()
  return signature
}
