/** What rounds earn and what offences cost (sections 21 to 24). */
export * from './epoch-receipt.ts'
export * from './evidence.ts'
export * from './leader.ts'
export * from './merkle.ts'
export * from './rewards.ts'
export * from './settlement-times.ts'
