import type { Task } from '../../../../protocol/rounds/index.ts'
import type { Evidence } from '../../../../protocol/slashing/index.ts'
import { hubClient } from '../hub/hub-client.ts'
import { HubError } from '../hub/hub-error.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { backoffSeconds } from '../hub/repeat.ts'
import { type Part, repeatingPart, type Uses } from '../part.ts'
import type { EvidenceToPost } from '../store/evidence.ts'

const turnSeconds = 5
const ofTurn = 100
/** The hub may refuse evidence while its index is behind, and know better after a while. */
const refusalsMax = 5

/** Posts evidence of rounds that are final to the hub: what it has taken once is never sent again. */
export function evidencePart(
  { store, clock, log }: Uses<'clock' | 'log', 'evidence' | 'hubContact'>,
  hubUrl: string,
): Part {
  const stopping = new AbortController()
  const client = hubClient(parseHubUrl(hubUrl), stopping.signal)
  /** When evidence that was refused is sent again, on the clock of `performance.now`. */
  const dueAt = new Map<number, number>()
  /** The evidence that was looked at last. The next turn starts after it, so that old evidence does not delay the rest. */
  let lastId = 0
  let failures = 0

  async function turn(): Promise<number> {
    try {
      const waiting = store.evidence.waiting(lastId, ofTurn)
      for (const one of waiting) {
        lastId = one.id
        if ((dueAt.get(one.id) ?? 0) <= performance.now()) await bring(one)
      }
      if (waiting.length < ofTurn) lastId = 0
      failures = 0
      return turnSeconds
    } catch (error) {
      if (stopping.signal.aborted) return 0
      const isHubs = error instanceof HubError
      if (isHubs) log.debug('evidence waits for the hub', { reason: error.message })
      else log.error('evidence could not be posted', { reason: (error as Error).stack })
      failures += 1
      const asked = isHubs ? (error.retryAfterSeconds ?? 0) : 0
      return Math.max(asked, turnSeconds, backoffSeconds(failures, Math.random()))
    }
  }

  /** @throws {@link HubError} when the hub takes nothing at the moment. */
  async function bring({ id, evidence, agreedAt, failures: before }: EvidenceToPost): Promise<void> {
    const fields = { round_id: evidence.round_id, kind: evidence.kind, node_key: evidence.node_key }
    const from = taskOf(evidence).issued_at
    const contact = store.hubContact.covers(from, agreedAt ?? from)
    if (contact === 'not_yet') return
    if (contact === 'no') {
      store.evidence.withhold(id)
      log.info('evidence is not posted: this node lost its hub during that round', fields)
      return
    }
    try {
      await client.call({ method: 'POST', target: '/v1/slashes', body: evidence }, () => null)
      store.evidence.markPosted(id, clock.now())
      log.info('evidence posted', fields)
    } catch (error) {
      const isRefusal = error instanceof HubError && error.failure === 'refused' && !error.isPassing
      if (!isRefusal) throw error
      const isLast = error.status === 400 || before + 1 >= refusalsMax
      store.evidence.refused(id, isLast)
      dueAt.set(id, performance.now() + 60_000 * 2 ** before)
      log.warn('the hub refuses evidence', { ...fields, reason: error.message, is_last: isLast })
    }
  }

  return repeatingPart(turn, stopping)
}

/** Every kind of evidence holds the task of its round. */
function taskOf({ proof }: Evidence): Task {
  const { task, vote, first } = proof as { task?: Task; vote?: { task: Task }; first?: { task: Task } }
  const found = task ?? vote?.task ?? first?.task
  if (found === undefined) throw new Error('evidence without a task was kept')
  return found
}
