/** Saves of one draft, in an editor that stays open. */
import { Conflict } from '../../../../sdk/errors.ts'
import type { build, Draft, Kept } from './build.ts'

type Api = Pick<typeof build, 'draft' | 'saveDraft'>
type Content = Pick<Draft, 'data' | 'project_id'>

/** The stored draft: as it was just saved, or one that somebody else saved meanwhile. */
export type Saved = { readonly kept: Kept } | { readonly newer: Kept }

const textOf = ({ data, project_id }: Content): string => JSON.stringify([data, project_id])

export class DraftSaves {
  readonly #api: Api
  /** Sent since the last answer: the hub may have stored each of them. */
  readonly #unanswered = new Set<string>()
  constructor(api: Api) {
    this.#api = api
  }

  /** Saves over the draft of a revision, and over an own save of which no answer came. */
  async save(draft: Draft, content: Content, revision: string): Promise<Saved> {
    const sent = textOf(content)
    try {
      const kept = await this.#api.saveDraft(draft, content, revision)
      this.#unanswered.clear()
      return { kept }
    } catch (error) {
      if (!(error instanceof Conflict)) {
        this.#unanswered.add(sent)
        throw error
      }
    }
    const newer = await this.#api.draft(draft.draft_id)
    const stored = textOf(newer.draft)
    if (stored === sent) return { kept: newer }
    return this.#unanswered.delete(stored) ? this.save(draft, content, newer.revision) : { newer }
  }
}
