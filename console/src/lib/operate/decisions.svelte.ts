import { SvelteMap } from 'svelte/reactivity'
import { operateScreen } from '../texts/operate-screen.ts'

/** A question that an operator confirms before something changes. One is open at a time; `Decide.svelte` is the dialog. */
export interface Decision {
  /** The action, as the title of the dialog: "Ban node-…". */
  readonly title: string
  /** The effects of the action, as sentences. */
  readonly effects: readonly string[]
  /** Whether and how it can be undone. */
  readonly undo: string
  /** Label of the button. */
  readonly action: string
  /** The field for a reason; the label says who reads it. Null if the call takes none. */
  readonly reason: { readonly label: string; readonly isNeeded: boolean } | null
  /** Something that the operator may choose besides. */
  readonly choice?: string
  /** Label of the button that changes nothing, where “Cancel” could mean the action itself. */
  readonly keep?: string
  /** The message afterwards; the title if left out. */
  readonly done?: string
  readonly perform: (reason: string | null, isChosen: boolean) => Promise<unknown>
}

class Decisions {
  open = $state.raw<Decision | null>(null)
  /** The message about the last decision, for people who do not see that a row has gone. */
  done = $state('')
  /** The decisions about slashes, by evidence hash: their list shows each once the chain has it. */
  readonly slashes = new SvelteMap<string, 'cancel' | 'uphold'>()
  #answer: ((isDone: boolean) => void) | null = null

  /** @returns Whether it was done. */
  ask(decision: Decision): Promise<boolean> {
    this.end(false)
    this.done = ''
    this.open = decision
    return new Promise((resolve) => {
      this.#answer = resolve
    })
  }

  /** @param decision that is over; another one that is open meanwhile stays. */
  end(isDone: boolean, decision = this.open): void {
    if (decision !== this.open) return
    if (isDone && this.open) this.done = this.open.done ?? operateScreen.done(this.open.title)
    this.open = null
    this.#answer?.(isDone)
    this.#answer = null
  }

  /** For another screen or another account. */
  forget(): void {
    this.end(false)
    this.done = ''
    this.slashes.clear()
  }
}

export const decisions = new Decisions()
