/** What wallets sign: sign-ins, manifests and actions. The hub loads it by itself when a wallet is first used. */
export * from './actions.ts'
export * from './owner-actions.ts'
export * from './sign-in.ts'
export * from './wallets.ts'
