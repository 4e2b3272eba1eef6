/** Binds a device by the code of `nodectl bind`; loaded when somebody gives one. */
import { bindingSkewSeconds, parseBindingCode } from '../../../../protocol/identity/index.ts'
import { hub } from '../hub.ts'
import { me } from '../texts/me.ts'
import type { Signer, Wish } from '../wallet/signing.svelte.ts'

export type Offer = NonNullable<ReturnType<typeof parseBindingCode>>

/** What is wrong with a code, or what it offers. @param now Unix seconds. */
export async function readCode(
  text: string,
  address: string,
  now: number,
): Promise<{ offer: Offer } | { problem: string }> {
  const t = me.bind.problems
  const { profile } = await hub.network()
  const offer = parseBindingCode(profile, text)
  if (offer === null) return { problem: text.includes('Node key: ') ? t.text : t.form }
  if (offer.owner !== address) return { problem: t.owner(offer.owner) }
  if (Math.abs(now - offer.issued_at) > bindingSkewSeconds) return { problem: t.old }
  return { offer }
}

export const bindWish = (offer: Offer): Wish => ({
  title: me.bind.do,
  asked: { owner: offer.owner, node_id: offer.node_id, public_key: offer.public_key },
  perform: (signer) => bind(offer, signer),
})

async function bind(offer: Offer, { hub: caller, wallet, show, options: { signal } }: Signer): Promise<void> {
  const { owner, node_id, public_key, issued_at, message } = offer
  await show({
    effects: me.bind.effects(node_id),
    doubt: null,
    fields: Object.entries({ owner, node_id, public_key, issued_at }).map(([name, value]) => [
      name,
      String(value),
    ]),
    domain: null,
    costWei: null,
    signatures: 1,
  })
  const owner_signature = (await wallet.signMessage({ message })).toLowerCase()
  signal?.throwIfAborted()
  await caller.call('POST /v1/devices/bind', { body: { ...offer, owner_signature }, signal })
}
