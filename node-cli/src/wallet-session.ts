import { isBytes32, isUnsigned } from '../../protocol/encoding/index.ts'
import { isSafeToSign, signInClockOffset } from '../../protocol/identity/index.ts'
import { signPersonalMessage } from '../../protocol/signatures/index.ts'
import type { OwnerKey } from './binding/owner-key.ts'
import { CliError } from './cli/errors.ts'
import type { NodeAtHub } from './cli/node-at-hub.ts'
import { requestJson } from './http-json.ts'
import { systemClock } from './serve/clock.ts'
import { invalidAnswer, offsetText, type RequestSigner, synchroniseClock } from './serve/hub/index.ts'
import { Members } from './serve/hub/members.ts'

const timeoutSeconds = 10

/**
 * Signs a wallet in by EIP-4361, works with its session, and ends that.
 *
 * @param confirm shows the text that is about to be signed, and says whether to sign it.
 * @throws {@link HubError}, {@link CliError} where it is not to be signed.
 */
export async function withSession<T>(
  { client, profile }: Pick<NodeAtHub, 'client' | 'profile'>,
  wallet: OwnerKey,
  confirm: (message: string) => Promise<boolean>,
  work: (credential: RequestSigner) => Promise<T>,
): Promise<T> {
  const { address } = wallet
  const { host } = new URL(client.origin)
  const asked = { method: 'POST', target: '/v1/auth/nonce', body: { address, domain: host } } as const
  const { message, nonce } = await client.call(asked, (answer) => {
    const text = new Members(answer)
    return { message: text.text('message'), nonce: text.text('nonce') }
  })
  // Sessions are dated by the clock of the machine, on a local network too.
  const expected = { host, address, nonce, now: systemClock.now() }
  if (!isSafeToSign(profile, message, expected)) {
    const offset = signInClockOffset(profile, message, expected)
    if (offset !== null)
      throw new CliError('wrong_clock', `${offsetText(offset)}; nothing is signed`, {
        hint: synchroniseClock,
      })
    throw invalidAnswer(
      `the hub sent a text that is not a sign-in to ${host}; nothing is signed`,
      `It sent: ${message.slice(0, 1000)}`,
    )
  }
  if (!(await confirm(message))) throw new CliError('not_confirmed', 'nothing is signed')
  const body = { message, signature: signPersonalMessage(wallet.privateKey, message) }
  const token = await client.call({ method: 'POST', target: '/v1/auth/siwe', body }, (answer) =>
    new Members(answer).text('token'),
  )
  const headers = { Authorization: `Bearer ${token}` }
  try {
    return await work(() => headers)
  } finally {
    // If the session cannot be ended here, it expires by itself.
    const end = { method: 'POST', headers, timeoutSeconds, answerBytesMax: 2 ** 16 } as const
    await requestJson(`${client.origin}/v1/auth/logout`, end).catch(() => {})
  }
}

/** A withdrawal, as the hub shows it. */
export interface Claimed {
  readonly withdrawal_id: string
  readonly status: string
  readonly amount: string
  readonly epochs: readonly { readonly project_id: string; readonly epoch: number }[]
  readonly tx_hash: string | null
}

/** As many payouts as a withdrawal has, and as many withdrawals as a request makes. */
const [payoutsMax, withdrawalsMax] = [100, 10]

/** Has the hub claim what the wallet can claim; it sends the transactions and pays for them. */
export const claimAll = (
  { client }: Pick<NodeAtHub, 'client'>,
  signer: RequestSigner,
  projectId: string | null,
): Promise<{ withdrawals: readonly Claimed[]; more: boolean }> =>
  client.call(
    {
      method: 'POST',
      target: '/v1/me/withdrawals/claims',
      body: projectId === null ? {} : { project_ids: [projectId] },
      signer,
    },
    (answer) => ({
      more: new Members(answer).isTrue('more'),
      withdrawals: new Members(answer).objects('items', withdrawalsMax).map((one) => ({
        withdrawal_id: one.text('withdrawal_id'),
        status: one.text('status'),
        amount: one.text('amount'),
        epochs: one.objects('epochs', payoutsMax).map((epoch) => ({
          project_id: epoch.get('project_id', isBytes32, 'an id'),
          epoch: epoch.get('epoch', isUnsigned, 'a number'),
        })),
        tx_hash: one.optional('tx_hash', isBytes32, 'a transaction'),
      })),
    }),
  )
