/** Something that a person asks for, one time after the other: whether it is on its way, and why the last one failed. */
export class Attempt {
  isBusy = $state(false)
  failure = $state.raw<Error | null>(null)

  /** @param after - Runs when `work` has ended, also if it failed. */
  async run(work: () => Promise<void>, after?: () => Promise<unknown>): Promise<void> {
    this.isBusy = true
    this.failure = null
    try {
      await work()
    } catch (error) {
      this.failure = error as Error
    }
    await after?.()
    this.isBusy = false
  }
}
