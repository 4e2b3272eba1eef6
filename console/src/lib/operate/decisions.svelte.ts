import { operateScreen } from '../texts/operate-screen.ts'

/** What an operator is asked before something changes. One at a time; the dialog itself is in `Decide.svelte`. */
export interface Decision {
  /** What is about to happen, as the title of the dialog: "Ban node-…". */
  readonly title: string
  /** What it does, in sentences. */
  readonly effects: readonly string[]
  /** Whether and how it can be undone. */
  readonly undo: string
  /** Of the button. */
  readonly action: string
  /** Who reads the reason; null where the call takes none. */
  readonly reason: { readonly label: string; readonly isNeeded: boolean } | null
  /** Something that the operator may choose besides. */
  readonly choice?: string
  /** Of the button that changes nothing, where “Cancel” could mean the action itself. */
  readonly keep?: string
  /** What is said afterwards; left out, the title. */
  readonly done?: string
  readonly perform: (reason: string | null, isChosen: boolean) => Promise<unknown>
}

class Decisions {
  open = $state.raw<Decision | null>(null)
  /** What was done last, for everybody who does not see that a row has gone. */
  done = $state('')
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

  end(isDone: boolean): void {
    if (isDone && this.open) this.done = this.open.done ?? operateScreen.done(this.open.title)
    this.open = null
    this.#answer?.(isDone)
    this.#answer = null
  }
}

export const decisions = new Decisions()
