import { type Client, client } from './client.ts'
import { signIn } from './wallet.ts'

/** A signed-in operator of a hub that has no other. */
export async function createOperator(): Promise<{ address: string; client: Client; token: string }> {
  const { address, token } = await signIn()
  return { address, token, client: client({ token, bindings: { OPERATOR_ADDRESSES: address } }) }
}
