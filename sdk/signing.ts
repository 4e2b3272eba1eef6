/** Messages that wallets sign: sign-ins, manifests and actions. The client imports this module when a wallet is first used. */
export * from './actions.ts'
export * from './owner-actions.ts'
export * from './sign-in.ts'
export * from './wallets.ts'
