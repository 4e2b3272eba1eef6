import { bytesToHex } from '../../protocol/encoding/index.ts'
import { createBindingRecord, resolveProfile } from '../../protocol/identity/index.ts'
import { client } from './client.ts'
import { networkNow } from './network-time.ts'
import { createNode, freshNonce, type TestNode } from './node.ts'
import { createWallet, signIn } from './wallet.ts'

const profile = resolveProfile()

type Fields = Partial<Parameters<typeof createBindingRecord>[1]>

/** A record of this owner and device as both sign it; `signers` leaves signatures out. */
export function deviceRecord(
  owner: { key: string; address: string },
  device: TestNode,
  fields: Fields = {},
  signers: { owner?: boolean; node?: boolean } = {},
) {
  return createBindingRecord(
    profile,
    {
      action: 'bind',
      owner: owner.address,
      public_key: device.publicKey,
      issued_at: Math.floor(Date.now() / 1000),
      nonce: freshNonce(),
      ...fields,
    },
    {
      ownerKey: signers.owner === false ? null : owner.key,
      nodeSeed: signers.node === false ? null : device.seed,
    },
  )
}

/** A signed-in wallet whose key is at hand, to sign records and typed data with. */
export async function createOwner() {
  const key = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
  return { key, ...(await signIn(createWallet(key))) }
}

/** A signed-in wallet with a device of its own. */
export async function createMiner() {
  const owner = await createOwner()
  const device = createNode()
  const record = deviceRecord(owner, device, { issued_at: await networkNow() })
  const response = await client().post('/v1/devices/bind', record)
  if (response.status !== 200)
    throw new Error(`binding answered ${response.status}: ${await response.text()}`)
  return { owner, device }
}
