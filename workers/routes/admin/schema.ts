import { lines } from '../../http/formats.ts'

/** The members that every operator route declares. */
export const ofOperators = { tag: 'Operator', auth: { operator: true } } as const

/** Why an operator decided so; kept in the audit log. */
export const Reason = lines(2000, 1).nullable().default(null)
