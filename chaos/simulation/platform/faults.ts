/** How often, in a thousand, something goes wrong. */
export interface PlatformFaults {
  /** A call between objects never arrives. */
  readonly callLost: number
  /** It is carried out, and its answer is lost. */
  readonly answerLost: number
  /** The process of an object ends while it stores something: just before, or just after. */
  readonly crash: number
  /** After an event of an object, its process ends and leaves its sockets. */
  readonly evicted: number
  /** An alarm comes late, by up to two minutes. */
  readonly alarmLate: number
  /** An alarm comes twice. */
  readonly alarmTwice: number
}

export const noFaults: PlatformFaults = {
  callLost: 0,
  answerLost: 0,
  crash: 0,
  evicted: 0,
  alarmLate: 0,
  alarmTwice: 0,
}
