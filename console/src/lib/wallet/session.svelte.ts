/** Signed-in accounts. Tokens are in memory and in `sessionStorage`: they end with the tab, and no page of another host sees them. */
import type { Credential } from '../../../../sdk/client.ts'
import { HubError } from '../../../../sdk/errors.ts'
import type { Hub, Schemas } from '../../../../sdk/index.ts'
import { hubAs } from '../hub.ts'
import { mayGo } from '../unsaved.ts'

export type WalletName =
  | { readonly kind: 'browser'; readonly rdns: string; readonly name: string }
  | { readonly kind: 'development'; readonly index: number; readonly name: string }

export interface Account {
  readonly address: string
  readonly wallet: WalletName
  readonly roles: Schemas['Session']['roles']
  readonly expires_at: number
}

interface Kept extends Account {
  readonly token: string
}

/** Whom the sign-in dialog is open for. */
export interface Question {
  /** Null: any wallet. Otherwise the one whose session has ended. */
  readonly account: Account | null
  readonly answer: (account: Account | null, isRejected?: boolean) => void
}

const storeName = 'sessions'

class Sessions {
  /** One account per address, without its token. */
  accounts = $state<readonly Account[]>([])
  #current = $state<string | null>(null)
  /** Sessions that the hub no longer takes, by address. */
  #ended = $state<readonly string[]>([])
  /** Open while a person is asked to sign in. */
  question = $state<Question | null>(null)
  readonly #tokens = new Map<string, string>()
  readonly #hubs = new Map<string, Hub>()
  #asked: Promise<Account | null> | null = null
  /** Whether the last sign-in ended with a refusal in the wallet. */
  #isRejected = false

  constructor() {
    const { current, kept } = readKept()
    const now = Date.now() / 1000
    this.accounts = kept.map(({ token, ...account }) => {
      this.#tokens.set(account.address, token)
      return account
    })
    this.#ended = kept.filter(({ expires_at }) => expires_at <= now).map(({ address }) => address)
    this.#current = kept.some(({ address }) => address === current) ? current : (kept[0]?.address ?? null)
  }

  /** The account that screens are about; null before the first sign-in. */
  get current(): Account | null {
    return this.accounts.find(({ address }) => address === this.#current) ?? null
  }

  /** Whether the hub no longer takes the session of the current account. */
  get ended(): boolean {
    return this.#current !== null && this.#ended.includes(this.#current)
  }

  /** Calls as the current account. @throws where nobody is signed in. */
  get hub(): Hub {
    const address = this.#current
    if (address === null) throw new HubError('Nobody is signed in.')
    const known = this.#hubs.get(address) ?? hubAs(this.#credential(address))
    this.#hubs.set(address, known)
    return known
  }

  /** A screen that would lose something stays with its account, unless the person lets it go. */
  use(address: string): void {
    if (this.#current === null || address === this.#current || mayGo()) this.#current = address
    this.#keep()
  }

  /** Takes a session that a wallet has opened. */
  add({ token, ...account }: Kept): void {
    this.#tokens.set(account.address, token)
    this.accounts = [...this.accounts.filter(({ address }) => address !== account.address), account]
    this.#ended = this.#ended.filter((address) => address !== account.address)
    this.use(account.address)
  }

  /** Asks for a sign-in, one at a time. @returns Null if the person closes the dialog. */
  ask(account: Account | null = null): Promise<Account | null> {
    this.#asked ??= new Promise<Account | null>((resolve) => {
      const answer = (next: Account | null, isRejected = false) => {
        this.#isRejected = isRejected
        resolve(next)
      }
      this.question = { account, answer }
    }).finally(() => {
      this.question = null
      this.#asked = null
    })
    return this.#asked
  }

  /** Forgets the current account at once, whatever the hub answers; not where the screen would lose something and is to stay. */
  async signOut(): Promise<void> {
    const address = this.#current
    if (address === null || !mayGo()) return
    const { ended } = this
    const Authorization = `Bearer ${this.#tokens.get(address)}`
    this.#tokens.delete(address)
    this.#hubs.delete(address)
    this.accounts = this.accounts.filter((account) => account.address !== address)
    this.#ended = this.#ended.filter((one) => one !== address)
    this.#current = this.accounts[0]?.address ?? null
    this.#keep()
    // The hub forgets it as well, if it can be asked. A session that has ended meanwhile is not renewed for that.
    if (!ended)
      await hubAs({ headers: () => ({ Authorization }) })
        .call('POST /v1/auth/logout')
        .catch(() => {})
  }

  /** A call whose session has ended waits while its owner signs in again, and is sent once more. */
  #credential(address: string): Credential {
    return {
      headers: () => ({ Authorization: `Bearer ${this.#tokens.get(address)}` }),
      isRenewedByPerson: true,
      renew: async ({ Authorization }) => {
        // Nobody is asked to sign in for a call of an account that has signed out meanwhile.
        if (!this.#tokens.has(address)) throw new SessionEnded(false)
        if (Authorization !== `Bearer ${this.#tokens.get(address)}`) return
        const account = this.accounts.find((one) => one.address === address) ?? null
        // The question is asked once. A person who closed the dialog signs in with the button on the screen.
        const isKnown = this.#ended.includes(address) && this.question === null
        if (!isKnown) this.#ended = [...new Set([...this.#ended, address])]
        const again = isKnown ? null : await this.ask(account)
        if (again?.address !== address) throw new SessionEnded(this.#isRejected)
      },
    }
  }

  #keep(): void {
    const kept = this.accounts.map((account) => ({ ...account, token: this.#tokens.get(account.address) }))
    try {
      sessionStorage.setItem(storeName, JSON.stringify({ current: this.#current, kept }))
    } catch {}
  }
}

/** A session ended, and its owner has not signed in again. */
class SessionEnded extends HubError {
  override readonly code = 'session_expired'
  constructor(isRejected: boolean) {
    super(
      isRejected
        ? 'You rejected the sign-in in the wallet, so nothing was sent. Your input stays.'
        : 'Your session has ended, so nothing was sent. Sign in again to go on; your input stays.',
    )
  }
}

function readKept(): { current: string | null; kept: Kept[] } {
  try {
    const read = JSON.parse(sessionStorage.getItem(storeName) ?? '') as {
      current: string | null
      kept: Kept[]
    }
    return Array.isArray(read.kept) ? read : { current: null, kept: [] }
  } catch {
    return { current: null, kept: [] }
  }
}

export const session = new Sessions()
