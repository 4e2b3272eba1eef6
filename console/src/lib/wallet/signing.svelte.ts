/** What a person is asked to sign. The dialog itself is loaded when it opens. */
import type { ActionOptions, Hub, Payload, Wallet } from '../../../../sdk/index.ts'
import type { Token } from '../hub.ts'
import { session } from './session.svelte.ts'

/** What will be signed, as the dialog shows it. */
export interface Shown {
  /** What it does, in sentences. */
  readonly effects: readonly string[]
  /** What the hub could not foresee; null where it is sure. */
  readonly doubt: string | null
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Whom the signature is for; null for a text that no contract reads. */
  readonly domain: { readonly name: string; readonly chainId: number; readonly contract: string } | null
  /** The fee that the hub pays; null where it is unknown, or the hub pays nothing. */
  readonly costWei: string | null
  readonly signatures: number
}

/** What an action is performed with. */
export interface Signer {
  readonly hub: Hub
  readonly wallet: Wallet
  /** For actions of the client: shows each payload before it is signed, and tells what the hub relays. */
  readonly options: ActionOptions
  /** Shows something else before it is signed. @throws when the person closes the dialog. */
  readonly show: (shown: Shown) => Promise<void>
}

export interface Wish {
  /** What the person wants, as the title of the dialog: "Bond 100 HUB". */
  readonly title: string
  /** What the page asked for, by the name of the signed field: the exact value; of `nodeKey` the id of the device. */
  readonly asked: Readonly<Record<string, string>>
  /** The same for people, where the value says nothing to them. */
  readonly words?: Readonly<Record<string, string>>
  /** What the page adds to what the hub says will happen. */
  readonly more?: readonly string[]
  /** Of amounts. */
  readonly token?: Token | null
  readonly perform: (signer: Signer) => Promise<unknown>
}

/** `done`: it is over. `pending`: the hub goes on with it. Null: the person closed the dialog before. */
export type Outcome = 'done' | 'pending' | null

class Signing {
  wish = $state.raw<Wish | null>(null)
  /** Who asked; null where nobody was signed in. Nobody else signs it. */
  address: string | null = null
  #answer: ((outcome: Outcome) => void) | null = null

  /** Opens the dialog. What the page shows meanwhile stays as it is. */
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

/** What the hub prepared, as the dialog shows it. The client has compared it with the wish before. */
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
