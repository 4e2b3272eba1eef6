/** Codes that a relay socket is closed with, and by whom. */
export const closeCodes = {
  /** Either side: it is done. */
  normal: 1000,
  /** Hub: a frame broke a rule for the third time, or could not be read as text. */
  policy: 1008,
  /** Hub: it restarts. The node connects again. */
  restart: 1012,
  /** Hub: another socket of the same key took over. The node does not connect again with this process. */
  replaced: 4001,
  /** Hub: an operator banned the device. The node asks slowly whether it may come back. */
  banned: 4003,
} as const

/** Whether a node connects again by itself after a close with this code. After a ban it does so slowly. */
export function mayReconnect(code: number): boolean {
  return code !== closeCodes.replaced
}
