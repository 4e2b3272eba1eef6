import { evmAddress, type TypedMessage } from '../protocol/signatures/index.ts'
import type { Network } from '../scripts/hub/network.ts'
import { fetchFromHub } from '../scripts/hub/network.ts'
import { waitFor } from '../scripts/hub/wait.ts'
import { type Payload, signAndRelay, signIn, type Wallet } from '../scripts/hub/wallet.ts'
import type { SignedBody } from '../sdk/actions.ts'
import { pathOf } from '../sdk/client.ts'
import type { Answer, CallArguments, Fetch, Given, Hub, Operation } from '../sdk/index.ts'
import { print, shorten, stateOf } from './print.ts'

/** Sends a request, and prints it with its answer. */
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

async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('application/json')) return response.clone().text()
  const { byteLength } = await response.clone().arrayBuffer()
  return byteLength > 0 ? `${byteLength} bytes` : ''
}

/** Waits until a record is as it should be, and prints that once. */
export async function waitForRecord<O extends Operation>(
  what: string,
  { quiet }: { readonly quiet: Hub },
  operation: O,
  args: CallArguments<O>,
  isDone: (record: Answer<O>) => boolean,
): Promise<Answer<O>> {
  const record = await waitFor(
    what,
    () => quiet.call(operation, ...([args] as unknown as Given<O>)),
    isDone,
    undefined,
    (last) => stateOf(last as object) || shorten(JSON.stringify(last)),
  )
  const { path, query } = args as { path?: object; query?: object }
  printRecord(pathOf(operation.replace('GET ', ''), path, query), record as object)
  return record
}

/** Signs a wallet in, and prints who it is and the text that it signs. */
export function printedSignIn(network: Network, key: string): Promise<Wallet> {
  print('·', `wallet ${evmAddress(key)}`)
  return signIn(network, key, (message) => print('│', message))
}

/** Signs and relays a payload, and prints what is signed, the transaction that the hub sends, and its state once it is mined. */
export async function printedRelay(
  network: Network,
  wallet: Wallet,
  payload: Payload,
  wanted: TypedMessage,
  post: (body: SignedBody) => Promise<unknown>,
): Promise<void> {
  print('✎', shorten(`${payload.typed_data.primaryType} ${JSON.stringify(wanted)}`))
  const { effects = [], reason } = payload.preview ?? {}
  for (const text of reason ? [...effects, reason] : effects) print('·', shorten(text))
  const transaction = await signAndRelay(network, wallet, payload, wanted, post, {
    // In full: the chain may take minutes, and nobody names it if the hub is away then.
    onTransaction: ({ id }) => print('·', `the hub sends it: /v1/transactions/${id}`),
  })
  printRecord(`/v1/transactions/${transaction.id}`, transaction)
}

function printRecord(pathname: string, record: object): void {
  print('→', `GET ${shorten(pathname)}`)
  print('←', shorten(stateOf(record) || JSON.stringify(record)))
}
