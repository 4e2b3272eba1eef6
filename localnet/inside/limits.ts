/** The limits, delays and interruptions of Cloudflare. Times are ranges in milliseconds; chances are from 0 to 1. */
export interface Limits {
  /** Outgoing connections of one invocation that wait for an answer. */
  connections: number
  tripMs: Range
  tripsPerSecond: number
  /** How long the database lets a statement wait for those before it. */
  queuedMsMax: number
  /** Largest size of a value, and of a row. */
  valueBytes: number
  fileMs: Range
  callMs: Range
  /** An object without an event leaves the memory; its sockets stay. */
  evicted: number
  /** An object is reset before an event or after it, whose answer is lost; its sockets close. */
  moved: number
  alarmLate: number
  alarmLateMs: Range
  alarmTwice: number
  messageLate: number
  messageTwice: number
}

export type Range = readonly [from: number, to: number]

export const cloudflareLimits: Limits = {
  connections: 6,
  tripMs: [4, 30],
  tripsPerSecond: 500,
  queuedMsMax: 30_000,
  valueBytes: 2_000_000,
  fileMs: [10, 60],
  callMs: [1, 20],
  evicted: 0.02,
  moved: 0.0005,
  alarmLate: 0.05,
  alarmLateMs: [0, 3_000],
  alarmTwice: 0.05,
  messageLate: 0.1,
  messageTwice: 0.1,
}

export interface PlatformSettings {
  /** Fixes every draw; at which use a draw is made depends on the machine. */
  readonly seed: number
  readonly limits: Limits
  /** The binding of each class of objects. */
  readonly bindings: Readonly<Record<string, string>>
}
