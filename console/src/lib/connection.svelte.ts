/** Whether the hub can be asked, and when it is asked again where it cannot. */
class Connection {
  /** Why calls wait. */
  problem = $state<'away' | 'failing' | 'limited' | null>(null)
  /** When the next one is sent; milliseconds. */
  nextTryMs = $state(0)
  /** Whether events come as they happen. */
  live = $state(false)

  /** Why the file of a screen, or of a part of one, could not be loaded. */
  unloaded: Error | null = null
  /** Whether a part of the page, such as a dialog, could not be loaded. */
  isPartMissing = $state(false)

  /** A stream that is open says nothing while nothing comes: what failed to be asked tells more. */
  get isLive(): boolean {
    return this.live && this.problem !== 'away'
  }

  reached(): void {
    if (this.problem !== null && Date.now() >= this.nextTryMs - 100) this.problem = null
    if (this.problem === 'away') this.problem = null
  }

  wait(problem: 'away' | 'failing' | 'limited', ms: number): number {
    this.problem = problem
    this.nextTryMs = Date.now() + ms
    return ms
  }
}

export const connection = new Connection()
