/** Earnings of rounds: rewards, payout trees and epoch receipts (sections 21 to 23). */
export * from './epoch-receipt.ts'
export * from './leader.ts'
export * from './merkle.ts'
export * from './params-changes.ts'
export * from './rewards.ts'
export * from './settlement-times.ts'
