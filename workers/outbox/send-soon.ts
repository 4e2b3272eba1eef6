import type { HubContext } from '../context.ts'
import type { HubActionKind } from '../stores/hub-actions.ts'
import { bringHubAction } from './hub-actions.ts'

/** Tries an action of the hub at once, beside the answer. If it fails, the schedule tries it again. */
export const sendSoon = (c: HubContext, kind: HubActionKind, subject: string): void =>
  c.executionCtx.waitUntil(
    bringHubAction(c.env, kind, subject).catch((error) =>
      console.error(`${c.var.requestId} ${kind} of ${subject} could not be tried`, error),
    ),
  )
