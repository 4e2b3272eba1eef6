import { setTimeout as wait } from 'node:timers/promises'

const sampleMs = 10
const mebibyte = 1024 * 1024

interface HeapUsage {
  readonly usedSize: number
  readonly embedderHeapUsedSize: number
  readonly backingStorageSize: number
}

/** The memory of the hub's isolate as V8 counts it: what the limit of 128 MB is about. */
export class IsolateMemory {
  readonly #socket: WebSocket
  readonly #answers = new Map<number, PromiseWithResolvers<unknown>>()
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
      if (id !== undefined) this.#answers.get(id)?.resolve(result)
    })
    socket.addEventListener('close', () => {
      for (const { reject } of this.#answers.values()) reject(new Error('the inspector has ended'))
    })
  }

  /** @param inspector - Where the inspector of workerd listens. */
  static async open(inspector: URL): Promise<IsolateMemory> {
    const socket = new WebSocket(new URL('/core:user:hub', inspector))
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
    })
    return new IsolateMemory(socket)
  }

  /** In MiB, garbage included, when the isolate next waits for something. */
  async used(): Promise<number> {
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = (await this.#call(
      'Runtime.getHeapUsage',
    )) as HeapUsage
    return (usedSize + embedderHeapUsedSize + backingStorageSize) / mebibyte
  }

  /** In MiB, without garbage. */
  async kept(): Promise<number> {
    await this.#call('HeapProfiler.collectGarbage')
    return this.used()
  }

  /** The most that is used while `work` runs. */
  async peak<T>(work: () => Promise<T>): Promise<{ result: T; peak: number; seconds: number }> {
    let isDone = false
    let peak = await this.used()
    const startedMs = performance.now()
    const working = work().finally(() => {
      isDone = true
    })
    while (!isDone) {
      peak = Math.max(peak, await this.used())
      await Promise.race([wait(sampleMs), working.catch(() => {})])
    }
    return { result: await working, peak, seconds: (performance.now() - startedMs) / 1000 }
  }

  close(): void {
    this.#socket.close()
  }

  async #call(method: string): Promise<unknown> {
    const id = ++this.#calls
    const answer = Promise.withResolvers<unknown>()
    this.#answers.set(id, answer)
    this.#socket.send(JSON.stringify({ id, method }))
    return answer.promise.finally(() => this.#answers.delete(id))
  }
}
