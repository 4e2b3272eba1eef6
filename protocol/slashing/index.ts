/** Evidence of offences, and what they cost (section 24). */
export * from './evidence.ts'
