/** Whether the hub can be asked, and when it is asked again where it cannot. */
class Connection {
  /** Why calls wait. */
  problem = $state<'away' | 'failing' | 'limited' | null>(null)
  /** When the next one is sent; milliseconds. */
  nextTryMs = $state(0)
  /** Whether events come as they happen. */
  live = $state(false)

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
