import { limits } from '../limits.ts'

/**
 * The lines that a run logs. They are not part of its outcome, so lines over the limits are dropped and the guest is not
 * told: no guest can fill a node's memory and disk.
 */
export class GuestLog {
  readonly lines: string[] = []
  #bytes = 0

  add(line: string, bytes: number): void {
    if (this.lines.length >= limits.logLines || this.#bytes + bytes > limits.logBytes) return
    this.lines.push(line)
    this.#bytes += bytes
  }
}
