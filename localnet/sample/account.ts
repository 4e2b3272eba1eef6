import type { PrivateKeyAccount } from 'viem/accounts'
import type { GaslessPayload } from '../../protocol/actions/index.ts'
import { accounts, privateKeys } from '../accounts.ts'
import { signIn } from '../session.ts'

/** Thrown when the hub answers what it should not. */
export class SampleError extends Error {
  override readonly name = 'SampleError'
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the hub, whose document describes them.
type Answer = any

/** A wallet that is signed in at a hub, and does there what a person would do with it. */
export class HubAccount {
  readonly address: string
  readonly wallet: PrivateKeyAccount
  readonly #hub: string
  readonly #token: string

  private constructor(hub: string, wallet: PrivateKeyAccount, token: string) {
    this.#hub = hub
    this.#token = token
    this.wallet = wallet
    this.address = wallet.address.toLowerCase()
  }

  static async signIn(hub: string, who: keyof typeof accounts): Promise<HubAccount> {
    const { token } = await signIn(hub, privateKeys[who])
    return new HubAccount(hub, accounts[who], token)
  }

  get(path: string): Promise<Answer> {
    return request(this.#hub, 'GET', path, undefined, this.#headers)
  }

  /** Null where there is nothing. */
  async find(path: string): Promise<Answer | null> {
    const response = await fetch(this.#hub + path, { headers: this.#headers })
    return response.status === 404 ? null : readAnswer('GET', path, response)
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return request(this.#hub, 'POST', path, body, this.#headers)
  }

  /** Signs what the hub wants signed, posts it back, and waits until it is done on the chain. */
  async act(path: string, { typed_data, permit }: GaslessPayload): Promise<void> {
    const { id } = await this.post(path, {
      typed_data,
      signature: await this.#sign(typed_data),
      ...(permit && { permit, permit_signature: await this.#sign(permit) }),
    })
    await until(`${path} to be mined`, async () => {
      const { status, error } = await this.get(`/v1/transactions/${id}`)
      if (status === 'reverted' || status === 'failed') throw new SampleError(`${path}: ${error}`)
      return status === 'confirmed'
    })
  }

  #sign(typedData: GaslessPayload['typed_data']): Promise<string> {
    return this.wallet.signTypedData(typedData as never)
  }

  get #headers() {
    return { Authorization: `Bearer ${this.#token}` }
  }
}

export async function request(
  hub: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = body === undefined ? null : JSON.stringify(body)
  const response = await fetch(hub + path, {
    method,
    headers: { ...headers, ...(text !== null && { 'Content-Type': 'application/json' }) },
    ...(text !== null && { body: text }),
  })
  return readAnswer(method, path, response)
}

async function readAnswer(method: string, path: string, response: Response): Promise<Answer> {
  const text = await response.text()
  if (!response.ok) throw new SampleError(`${method} ${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

const untilMs = 60_000
const pollMs = 100

/** Asks until the answer is yes. */
export async function until(what: string, answer: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + untilMs; !(await answer()); ) {
    if (Date.now() > limit) throw new SampleError(`waited ${untilMs / 1000} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
