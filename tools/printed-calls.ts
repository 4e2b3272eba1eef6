import { evmAddress, type TypedMessage } from '../protocol/signatures/index.ts'
import { type Answer, unwrap } from '../sdk/answers.ts'
import { type Fetch, fetchFromHub } from '../sdk/connect.ts'
import type { Network } from '../sdk/network.ts'
import { type GaslessPayload, type SignedBody, signAndRelay } from '../sdk/relay.ts'
import { signIn, type Wallet } from '../sdk/sign-in.ts'
import { waitFor } from '../sdk/wait.ts'
import { print, shorten, stateOf } from './print.ts'

/** Sends a request, and prints it with what is answered. */
export const printedFetch: Fetch = async (request) => {
  const { pathname, search } = new URL(request.url)
  const isJson = request.headers.get('content-type') === 'application/json'
  const sent = isJson ? `  ${shorten(await request.clone().text())}` : ''
  const size = !isJson && request.body ? `  (${(await request.clone().arrayBuffer()).byteLength} bytes)` : ''
  print('→', `${request.method} ${shorten(pathname + search)}${sent}${size}`)
  const response = await fetchFromHub(request)
  print('←', `${response.status}  ${shorten(await textOf(response))}`)
  return response
}

/** For a single call that is not printed. */
export const unprinted = { fetch: fetchFromHub }

async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('application/json')) return response.clone().text()
  const { byteLength } = await response.clone().arrayBuffer()
  return byteLength > 0 ? `${byteLength} bytes` : ''
}

/** Waits until a record is as it should be, and prints that once. */
export async function waitForRecord<T extends object>(
  what: string,
  read: () => Answer<T>,
  isDone: (record: T) => boolean,
): Promise<T> {
  const { record, pathname } = await waitFor(
    what,
    async () => {
      const answer = read()
      return { record: await unwrap(answer), pathname: new URL((await answer).response.url).pathname }
    },
    ({ record }) => isDone(record),
    undefined,
    ({ record }) => stateOf(record) || shorten(JSON.stringify(record)),
  )
  printRecord(pathname, record)
  return record
}

/** Signs a wallet in, and prints who it is and the text that it signs. */
export function printedSignIn(network: Network, key: string): Promise<Wallet> {
  print('·', `wallet ${evmAddress(key)}`)
  return signIn(network, key, (message) => print('│', message))
}

/** Signs and relays a payload, and prints what is signed and the transaction once it is mined. */
export async function printedRelay(
  network: Network,
  wallet: Wallet,
  payload: GaslessPayload,
  wanted: TypedMessage,
  post: (body: SignedBody) => Promise<unknown>,
): Promise<void> {
  print('✎', shorten(`${payload.typed_data.primaryType} ${JSON.stringify(wanted)}`))
  const { effects = [], reason } = payload.preview ?? {}
  for (const text of reason ? [...effects, reason] : effects) print('·', shorten(text))
  const transaction = await signAndRelay(network, wallet, payload, wanted, post)
  printRecord(`/v1/transactions/${transaction.id}`, transaction)
}

function printRecord(pathname: string, record: object): void {
  print('→', `GET ${shorten(pathname)}`)
  print('←', shorten(stateOf(record) || JSON.stringify(record)))
}
