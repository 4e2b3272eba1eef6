import { isSafeToSign, type Profile, signInClockOffset } from '../protocol/identity/index.ts'
import type { Client, Credential } from './client.ts'
import { RefusedToSign, WrongClock } from './errors.ts'
import type { CallOptions, Schemas } from './operations.ts'
import { addressOf, type Wallet } from './wallets.ts'

export type SignedIn = Schemas['SessionWithToken']

export interface SignInOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** Host that the wallet signs in to. Default: that of the hub. */
  readonly domain?: string
  /** Told the text before it is signed. */
  readonly onMessage?: (message: string) => void
}

/** Signs a wallet in with EIP-4361, as a wallet does: it reads the text before signing it. */
export async function signIn(
  client: Pick<Client, 'url' | 'call'>,
  profile: Profile,
  wallet: Wallet,
  options: SignInOptions,
): Promise<SignedIn> {
  const { domain = new URL(client.url).host, onMessage, ...call } = options
  const address = addressOf(wallet)
  const body = { address, domain }
  const { message, nonce } = await client.call('POST /v1/auth/nonce', { ...call, body, repeatable: true })
  onMessage?.(message)
  const expected = { host: domain, address, nonce, now: Math.floor(Date.now() / 1000) }
  if (!isSafeToSign(profile, message, expected)) {
    const offset = signInClockOffset(profile, message, expected)
    if (offset === null)
      throw new RefusedToSign(
        `${client.url} asks to sign a text that is not a sign-in to ${domain}; nothing was signed.`,
      )
    const difference = `${Math.abs(offset)} s ${offset > 0 ? 'behind' : 'ahead of'}`
    throw new WrongClock(
      `This machine is ${difference} ${client.url}; nothing was signed. Set the clock of this machine.`,
      offset,
    )
  }
  const signature = await wallet.signMessage({ message })
  return client.call('POST /v1/auth/siwe', { ...call, body: { message, signature } })
}

/** The credential of a session, which signs its wallet in again when the hub no longer knows the token. */
export class SessionCredential implements Credential {
  #current: SignedIn
  #renewal: Promise<void> | null = null
  #isOver = false
  readonly #signInAgain: () => Promise<SignedIn>

  constructor(first: SignedIn, signInAgain: () => Promise<SignedIn>) {
    this.#current = first
    this.#signInAgain = signInAgain
  }

  get current(): SignedIn {
    return this.#current
  }

  readonly headers = () => ({ Authorization: `Bearer ${this.#current.token}` })

  /** Calls that fail at once wait for one renewal, and those that were sent before it need none. */
  get renew(): Credential['renew'] {
    return this.#isOver ? undefined : this.#renew
  }

  /** Lets it expire. */
  end(): void {
    this.#isOver = true
  }

  readonly #renew = async ({ Authorization }: Readonly<Record<string, string>>): Promise<void> => {
    if (Authorization !== this.headers().Authorization) return
    this.#renewal ??= this.#signInAgain()
      .then((next) => {
        this.#current = next
      })
      .finally(() => {
        this.#renewal = null
      })
    return this.#renewal
  }
}
