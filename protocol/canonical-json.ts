/**
 * Section 2: one text per value, and the strict reader of signed documents. This file is the section's front door.
 */
export * from './canonical-encoder.ts'
export * from './strict-json.ts'
