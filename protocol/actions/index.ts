/** Actions that owners sign and the hub relays, and calls that a subscription allows (sections 8, 11). */
export * from './signed-actions.ts'
export * from './signed-body.ts'
export * from './subscription.ts'
export * from './transaction-status.ts'
export * from './typed-data.ts'
