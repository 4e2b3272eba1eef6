import { defaultNetworkParams as params } from '../../protocol/identity/index.ts'
import {
  type FrameVersion,
  frameVersions,
  type HubFrame,
  type NodeFrame,
  parseHubFrame,
  pingSecs,
  writeNodeFrame,
} from '../../protocol/link/index.ts'
import type { Platform } from './platform/platform.ts'
import type { ClientSocket } from './platform/sockets.ts'
import type { VirtualTime } from './platform/virtual-time.ts'
import { openLink, recordsMs } from './upgrade.ts'

export interface ValidatorLinkOptions {
  readonly publicKey: string
  readonly time: VirtualTime
  readonly platform: Platform
  readonly random: () => number
  /** The newest version of frames that it knows. */
  readonly frames?: FrameVersion
  /** While it is, nothing passes, and neither side is told. */
  readonly isAway: () => boolean
  readonly heard: (frame: HubFrame) => void
}

/** The link of a simulated validator to the hub: one socket after the other. */
export class ValidatorLink {
  readonly #options: ValidatorLinkOptions
  #socket: ClientSocket | null = null
  #ticket: string | null = null

  constructor(options: ValidatorLinkOptions) {
    this.#options = options
  }

  async connect(): Promise<void> {
    const { time, platform, publicKey, isAway, random, frames = frameVersions[0] } = this.#options
    for (;;) {
      const socket = isAway()
        ? null
        : await openLink(
            platform,
            {
              ...{ publicKey, frames, isValidator: true, ticket: this.#ticket },
              ...{ nonce: `${random()}`, timestamp: Math.floor(time.nowMs / 1_000) },
              readRecords: () => time.wait(recordsMs),
            },
            { message: (text) => this.#hear(text), closed: () => this.#lose() },
          )
      this.#socket = socket
      if (socket !== null) return this.#keepPinging(socket)
      await time.wait(1_000 + 3_000 * random())
    }
  }

  send(frame: NodeFrame): void {
    if (!this.#options.isAway()) this.#socket?.send(writeNodeFrame(frame, params))
  }

  #hear(text: string): void {
    if (this.#options.isAway()) return this.#lose()
    const frame = parseHubFrame(text, params)
    if (frame.type !== 'hello') return this.#options.heard(frame)
    this.#ticket = frame.ticket ?? null
    const what = { slots: 0, engine: 'native', nodectl_version: '1.0.0', holding: [] } as const
    this.send({ type: 'ready', ...what, role: 'validator' })
  }

  #lose(): void {
    const { time, random } = this.#options
    this.#socket?.close(null)
    this.#socket = null
    time.after(1_000 + 3_000 * random(), () => void this.connect())
  }

  #keepPinging(socket: ClientSocket): void {
    this.#options.time.after(pingSecs * 1_000, () => {
      if (this.#socket !== socket) return
      if (this.#options.isAway()) return this.#lose()
      socket.ping()
      this.#keepPinging(socket)
    })
  }
}
