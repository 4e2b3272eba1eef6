import type { HubClient } from '../hub/index.ts'
import type { Log } from '../log.ts'
import type { LinkStanding } from './link.ts'

/** Readers of what the node signs may refuse more than this. */
const noticedSeconds = 60

export function tellLink(log: Log, { origin: hub }: HubClient, standing: LinkStanding): void {
  const { state, problem, warning, sessionId, clockAheadSeconds } = standing
  const fields = { hub, ...(problem !== null && { reason: problem }) }
  if (state === 'connected') {
    log.info('link: connected', { hub, session_id: sessionId })
    if (warning !== null) log.warn('link: the hub warns; act on it in time', { hub, reason: warning })
    if (Math.abs(clockAheadSeconds ?? 0) > noticedSeconds)
      log.warn('the clock of this machine is not that of the network', { ahead_secs: clockAheadSeconds })
  } else if (state === 'away') log.warn('link: not connected; the node tries again', fields)
  else if (state !== 'stopped') log.error(`link: ${state}`, fields)
}

export const linkView = (standing: LinkStanding | null) => ({
  connected: standing?.state === 'connected',
  state: standing?.state ?? 'connecting',
  problem: standing?.problem ?? null,
  warning: standing?.warning ?? null,
  session_id: standing?.sessionId ?? null,
  since: standing?.since ?? null,
  latency_ms: standing?.latencyMs ?? null,
  clock_ahead_secs: standing?.clockAheadSeconds ?? null,
})
