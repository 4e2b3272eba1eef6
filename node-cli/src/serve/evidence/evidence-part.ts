import type { Task } from '../../../../protocol/rounds/index.ts'
import type { Evidence } from '../../../../protocol/slashing/index.ts'
import type { Clock } from '../clock.ts'
import { backoffSeconds } from '../hub/backoff.ts'
import { type HubClient, hubClient } from '../hub/hub-client.ts'
import { HubError } from '../hub/hub-error.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { repeat, waitUnreferenced } from '../hub/repeat.ts'
import type { Log } from '../log.ts'
import type { Part } from '../part.ts'
import type { EvidenceToPost } from '../store/evidence-posts.ts'
import type { ServeStore } from '../store/index.ts'

const turnSeconds = 5
const ofTurn = 100
/** The hub may refuse evidence while its index is behind, and know better after a while. */
const refusalsMax = 5

interface EvidenceParts {
  readonly store: Pick<ServeStore, 'evidence' | 'evidencePosts' | 'hubContact'>
  readonly clock: Clock
  readonly log: Log
}

/** Posts evidence of rounds that are final to the hub: what it has taken once is never sent again. */
export function evidencePart(parts: EvidenceParts, hubUrl: string): Part {
  const stopping = new AbortController()
  const posting = new EvidencePosting(parts, hubClient(parseHubUrl(hubUrl), stopping.signal), stopping.signal)
  let running: Promise<void> = Promise.resolve()
  return {
    start: () => {
      running = repeat(() => posting.turn(), stopping.signal, waitUnreferenced)
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

class EvidencePosting {
  readonly #parts: EvidenceParts
  readonly #client: HubClient
  readonly #stop: AbortSignal
  /** When evidence that was refused is sent again, on the clock of `performance.now`. */
  readonly #dueAt = new Map<number, number>()
  /** What was looked at last. The next turn goes on after it, so that nothing that waits long keeps the rest waiting. */
  #lastId = 0
  #failures = 0

  constructor(parts: EvidenceParts, client: HubClient, stop: AbortSignal) {
    this.#parts = parts
    this.#client = client
    this.#stop = stop
  }

  /** @returns The seconds to wait for the next turn. */
  async turn(): Promise<number> {
    try {
      const waiting = this.#parts.store.evidencePosts.waiting(this.#lastId, ofTurn)
      for (const one of waiting) {
        this.#lastId = one.id
        if ((this.#dueAt.get(one.id) ?? 0) <= performance.now()) await this.#bring(one)
      }
      if (waiting.length < ofTurn) this.#lastId = 0
      this.#failures = 0
      return turnSeconds
    } catch (error) {
      if (this.#stop.aborted) return 0
      const isHubs = error instanceof HubError
      if (isHubs) this.#parts.log.debug('evidence waits for the hub', { reason: error.message })
      else this.#parts.log.error('evidence could not be posted', { reason: (error as Error).stack })
      this.#failures += 1
      const asked = isHubs ? (error.retryAfterSeconds ?? 0) : 0
      return Math.max(asked, turnSeconds, backoffSeconds(this.#failures, Math.random()))
    }
  }

  /** @throws {@link HubError} when the hub takes nothing at the moment. */
  async #bring({ id, evidence, agreedAt, failures }: EvidenceToPost): Promise<void> {
    const { store, clock, log } = this.#parts
    const fields = { round_id: evidence.round_id, kind: evidence.kind, node_key: evidence.node_key }
    const from = taskOf(evidence).issued_at
    const contact = store.hubContact.covers(from, agreedAt ?? from)
    if (contact === 'not_yet') return
    if (contact === 'no') {
      store.evidencePosts.withhold(id)
      log.info('evidence is not posted: the hub was lost to this node in that round', fields)
      return
    }
    try {
      await this.#client.call({ method: 'POST', target: '/v1/slashes', body: evidence }, () => null)
      store.evidence.markPosted(id, clock.now())
      log.info('evidence posted', fields)
    } catch (error) {
      const isRefusal = error instanceof HubError && error.failure === 'refused' && !error.isPassing
      if (!isRefusal) throw error
      const isLast = error.status === 400 || failures + 1 >= refusalsMax
      store.evidencePosts.refused(id, isLast)
      this.#dueAt.set(id, performance.now() + 60_000 * 2 ** failures)
      log.warn('the hub refuses evidence', { ...fields, reason: error.message, is_last: isLast })
    }
  }
}

/** Every kind of evidence holds the task of its round. */
function taskOf({ proof }: Evidence): Task {
  const { task, vote, first } = proof as { task?: Task; vote?: { task: Task }; first?: { task: Task } }
  const found = task ?? vote?.task ?? first?.task
  if (found === undefined) throw new Error('evidence without a task was kept')
  return found
}
