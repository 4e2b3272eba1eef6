/** How often each fault happened, by name. */
export class FaultCounts {
  readonly counts = new Map<string, number>()

  note(name: string, times = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times)
  }
}
