/**
 * Section 3: hashing, ed25519 and secp256k1 with the strict rules of the protocol. One file per scheme; this one is the
 * section's front door.
 */
export * from './ed25519.ts'
export * from './keccak.ts'
export * from './secp256k1.ts'
