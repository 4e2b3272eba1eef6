import { type Hub, type HubOptions, startHub } from '../../localnet/hub.ts'
import { keepSchedule } from '../../localnet/schedule.ts'
import { ownWorkerds } from '../../testing/workerd.ts'
import type { Ending } from './end-node.ts'
import { collectedHeap } from './isolate-heap.ts'

/** A hub that ends and comes back over the same data. */
export class HubProcess {
  #options: HubOptions
  readonly #url: string
  #hub: Hub | null = null
  #endSchedule: (() => void) | null = null

  constructor(options: HubOptions, url: string) {
    this.#options = options
    this.#url = url
  }

  /** Sets the folder of its storage, from the next start on. */
  moveTo(statePath: string): void {
    this.#options = { ...this.#options, statePath }
  }

  async start(): Promise<void> {
    const hub = await startHub(this.#options)
    this.#hub = hub
    this.#endSchedule = await keepSchedule(hub, this.#url, (error) => {
      if (this.#hub === hub) console.error('The crons failed:', error)
    })
  }

  /** @param signal SIGKILL ends workerd at once, and the data in its memory is lost. */
  async end(signal: Ending): Promise<void> {
    this.#endSchedule?.()
    const hub = this.#hub
    this.#hub = null
    if (signal === 'SIGKILL') for (const pid of ownWorkerds()) process.kill(pid, 'SIGKILL')
    await hub?.stop()
  }

  /** The MiB that its isolate keeps; the options name a port of the inspector. */
  async heap(): Promise<number> {
    return collectedHeap(await this.#hub!.miniflare.getInspectorURL())
  }
}
