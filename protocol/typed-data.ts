/**
 * Section 8: actions that owners sign as EIP-712 typed data and the hub relays. This file is the section's front door.
 */
export * from './eip712.ts'
export * from './signed-actions.ts'
export * from './signed-body.ts'
