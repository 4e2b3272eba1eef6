import * as z from 'zod'
import {
  type CauseCode,
  causeSeverities,
  causes,
  describeCause,
  type FoundCause,
} from '../../protocol/causes.ts'
import { Timestamp } from '../http/formats.ts'

export const CauseView = z
  .strictObject({
    code: z.enum(Object.keys(causes) as CauseCode[]).describe('Stable; `docs` is the page about it.'),
    severity: z
      .enum(causeSeverities)
      .describe(
        '`error`: no work or no reward comes while it lasts. `warning`: less comes. `info`: an explanation.',
      ),
    message: z.string(),
    since: Timestamp.nullable(),
    next_step: z.string().nullable(),
    docs: z.url().nullable(),
  })
  .meta({ id: 'Cause' })

/** Errors first; of one severity in the order they were found. */
export function causesView(found: readonly FoundCause[], origin: string, isOwner: boolean) {
  const shown = found.map((one) => describeCause(one, origin, isOwner))
  return causeSeverities.flatMap((severity) => shown.filter((cause) => cause.severity === severity))
}

export const causeExample = describeCause(
  {
    code: 'offline',
    message: 'The device is not connected to the hub.',
    since: 1_793_000_000,
  },
  'https://hub.example',
  false,
) as z.output<typeof CauseView>
