/** Cloudflare's public prices of the paid plan beyond what the plan includes, in dollars for a million of each unit. */
export const prices = {
  requests: 0.3,
  cpuMs: 0.02,
  d1RowsRead: 0.001,
  d1RowsWritten: 1,
  durableObjectRequests: 0.15,
  r2ClassA: 4.5,
  r2ClassB: 0.36,
  queueOperations: 0.4,
  /** For each second an object with its 128 MB is in use. */
  durableObjectGbSeconds: 12.5,
  /** Kept for a month. */
  d1Bytes: 0.000_75,
  r2Bytes: 0.000_015,
} as const

export type Unit = keyof typeof prices
