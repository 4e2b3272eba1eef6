/** Checks records with the rules of the protocol. Nothing is asked of a hub. */
export { resolveProfile } from '../protocol/identity/index.ts'
export * from './verify-receipt.ts'
