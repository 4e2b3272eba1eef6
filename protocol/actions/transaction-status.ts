/** States of a relayed action, in the order it goes through them; it ends in one of the last three. */
export const transactionStatuses = ['queued', 'sent', 'confirmed', 'reverted', 'failed'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]
