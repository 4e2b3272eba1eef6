/** The signatures that a person is asked for. The dialog itself is loaded when it opens. */
import type { ActionOptions, Hub, Payload, Wallet } from '../../../../sdk/index.ts'
import type { Token } from '../hub.ts'
import { session } from './session.svelte.ts'

/** The data to sign, as the dialog shows it. */
export interface Shown {
  /** The effects of the action, as sentences. */
  readonly effects: readonly string[]
  /** Why the action may fail, empty if the hub does not say; null if the hub expects success. */
  readonly doubt: string | null
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Whom the signature is for; null for a text that no contract reads. */
  readonly domain: { readonly name: string; readonly chainId: number; readonly contract: string } | null
  /** The fee that the hub pays; null if it is unknown, or the hub pays nothing. */
  readonly costWei: string | null
  readonly signatures: number
}

/** The hub, the wallet and the options with which an action is performed. */
export interface Signer {
  readonly hub: Hub
  readonly wallet: Wallet
  /** For actions of the client: shows each payload before it is signed, and tells what the hub relays. */
  readonly options: ActionOptions
  /** Shows something else before it is signed. @throws when the person closes the dialog. */
  readonly show: (shown: Shown) => Promise<void>
}

export interface Wish {
  /** The wish of the person, as the title of the dialog: "Bond 100 HUB". */
  readonly title: string
  /** The exact values that the page asked for, by the name of the signed field; for `nodeKey`, the id of the device. */
  readonly asked: Readonly<Record<string, string>>
  /** The same for people, where the value says nothing to them. */
  readonly words?: Readonly<Record<string, string>>
  /** Effects that the page adds to those that the hub names. */
  readonly more?: readonly string[]
  /** Of amounts. */
  readonly token?: Token | null
  readonly perform: (signer: Signer) => Promise<unknown>
}

/** `done`: it is over. `pending`: the hub goes on with it. Null: the person closed the dialog before. */
export type Outcome = 'done' | 'pending' | null

class Signing {
  wish = $state.raw<Wish | null>(null)
  /** The account that asked; null if nobody was signed in. No other account signs it. */
  address: string | null = null
  #answer: ((outcome: Outcome) => void) | null = null

  /** Opens the dialog. The page behind it stays as it is. */
  ask(wish: Wish): Promise<Outcome> {
    this.end(null)
    this.wish = wish
    this.address = session.current?.address ?? null
    return new Promise((resolve) => {
      this.#answer = resolve
    })
  }

  end(outcome: Outcome): void {
    this.wish = null
    this.#answer?.(outcome)
    this.#answer = null
  }
}

export const signing = new Signing()

/** The payload that the hub prepared, as the dialog shows it. The client has already compared it with the wish. */
export function shownOf({ typed_data, permit, preview }: Payload): Shown {
  const { domain, message } = typed_data as unknown as {
    domain: { name: string; chainId: number; verifyingContract: string }
    message: Record<string, string | number>
  }
  return {
    effects: preview?.effects ?? [],
    doubt: preview?.ok === true ? null : (preview?.reason ?? ''),
    fields: Object.entries(message).map(([name, value]) => [name, String(value)] as const),
    domain: { name: domain.name, chainId: domain.chainId, contract: domain.verifyingContract },
    costWei: preview?.cost_wei ?? null,
    signatures: permit ? 2 : 1,
  }
}
