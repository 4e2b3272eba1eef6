import type { HubContext } from '../context.ts'
import type { HubActionKind } from '../stores/hub-actions.ts'
import { bringHubAction } from './hub-actions.ts'

/** Tries at once, beside the answer, what the hub wants on the chain. What fails now is tried again by the schedule. */
export const sendSoon = (c: HubContext, kind: HubActionKind, subject: string): void =>
  c.executionCtx.waitUntil(
    bringHubAction(c.env, kind, subject).catch((error) =>
      console.error(`${c.var.requestId} ${kind} of ${subject} could not be tried`, error),
    ),
  )
