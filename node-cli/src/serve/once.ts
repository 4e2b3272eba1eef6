/** Does what is asked for under one name only once at a time: callers that ask meanwhile get the same outcome. */
export class Once<T> {
  readonly #running = new Map<string, Promise<T>>()

  run(name: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name)
    if (running !== undefined) return running
    const started = work().finally(() => this.#running.delete(name))
    this.#running.set(name, started)
    return started
  }
}
