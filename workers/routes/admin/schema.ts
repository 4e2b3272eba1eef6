import * as z from 'zod'
import { lines } from '../../http/formats.ts'

/** What every route of operators declares. */
export const ofOperators = { tag: 'Operator', auth: { operator: true } } as const

/** Why an operator decided so; kept in the audit log. */
export const Reason = lines(2000, 1).nullable().default(null)

/** An operator's yes or no to something that was asked for. */
export const Verdict = z
  .strictObject({ action: z.enum(['approve', 'reject']), reason: Reason })
  .meta({ id: 'Verdict' })
