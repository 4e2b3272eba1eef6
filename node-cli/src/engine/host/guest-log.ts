import { limits } from '../limits.ts'

/**
 * The lines a run logs. They are no part of its outcome, so what is over the limits goes away without a word to the
 * guest: a node's memory and disk are not the guest's to fill.
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
