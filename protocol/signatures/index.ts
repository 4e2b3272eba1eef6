/** ed25519, secp256k1 and EIP-712 with the strict rules of section 3. */
export * from './ed25519.ts'
export * from './eip712.ts'
export * from './secp256k1.ts'
