import { env } from 'cloudflare:workers'
import {
  defaultNetworkParams,
  profileStrings,
  resolveProfile,
  signRequest,
} from '../../protocol/identity/index.ts'
import {
  type HelloFrame,
  type HubFrame,
  type NodeFrame,
  parseHubFrame,
  subprotocolsOf,
  writeNodeFrame,
} from '../../protocol/link/index.ts'
import { freshNonce, networkNow, type TestNode } from './callers.ts'
import { type Client, client } from './client.ts'

const profile = resolveProfile()
const limits = defaultNetworkParams

/** The headers of an upgrade that the hub lets through, with the ticket of a node that comes back. */
export async function upgradeHeaders(
  { key }: Pick<TestNode, 'key'>,
  ticket?: string,
): Promise<Record<string, string>> {
  const { headers } = signRequest(profile, key, {
    method: 'GET',
    target: '/v1/relay',
    body: '',
    timestamp: await networkNow(),
    nonce: freshNonce(),
  })
  return {
    ...headers,
    Upgrade: 'websocket',
    'Sec-WebSocket-Protocol': subprotocolsOf(profile).join(', '),
    ...(ticket !== undefined && { [profileStrings(profile).ticket_header]: ticket }),
  }
}

/** The node's end of a relay socket. */
export class RelaySocket {
  readonly socket: WebSocket
  readonly #frames: HubFrame[] = []
  /** All that the hub has sent. */
  readonly texts: string[] = []
  readonly #waiting: (() => void)[] = []
  closed: { code: number; reason: string } | null = null

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener('message', ({ data }) => {
      this.texts.push(String(data))
      this.#frames.push(parseHubFrame(String(data), limits))
      this.#wake()
    })
    socket.addEventListener('close', ({ code, reason }) => {
      this.closed = { code, reason }
      this.#wake()
    })
    socket.accept()
  }

  /** Sends what a node may send. */
  send(frame: NodeFrame): void {
    this.socket.send(writeNodeFrame(frame, limits))
  }

  /** Sends anything. */
  sendRaw(text: string | ArrayBuffer): void {
    this.socket.send(text)
  }

  ready(slots = 1, holding: readonly string[] = [], role?: 'validator'): void {
    const what = { slots, engine: 'native', nodectl_version: '1.0.0', holding } as const
    this.send({ type: 'ready', ...what, ...(role && { role }) })
  }

  /** The next frame that was not taken yet. */
  async next(): Promise<HubFrame> {
    await this.#until(() => this.#frames.length > 0 || this.closed !== null)
    const frame = this.#frames.shift()
    if (frame === undefined) throw new Error(`the socket was closed: ${JSON.stringify(this.closed)}`)
    return frame
  }

  /** The frames that the hub sent before it answered this ping, without those that were taken. */
  async drain(): Promise<HubFrame[]> {
    // A ping with a blank wakes the object, which handles it after all that came before.
    this.sendRaw('{"type": "ping"}')
    const frames: HubFrame[] = []
    for (;;) {
      const frame = await this.next()
      if (frame.type === 'pong') return frames
      frames.push(frame)
    }
  }

  async close(): Promise<{ code: number; reason: string }> {
    await this.#until(() => this.closed !== null)
    return this.closed as { code: number; reason: string }
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** Opens the socket of a device that may have one, and takes the hello. */
export async function openRelay(
  node: TestNode,
  { ticket, caller = client() }: { ticket?: string; caller?: Client } = {},
): Promise<{ relay: RelaySocket; session: string; hello: HelloFrame }> {
  const response = await caller.get('/v1/relay', await upgradeHeaders(node, ticket))
  if (response.webSocket === null) throw new Error(`${response.status}: ${await response.text()}`)
  const relay = new RelaySocket(response.webSocket)
  const hello = await relay.next()
  if (hello.type !== 'hello') throw new Error(`the hub began with ${hello.type}`)
  return { relay, session: hello.session_id, hello }
}

/** The link of a node. */
export const linkOf = ({ publicKey }: Pick<TestNode, 'publicKey'>) => env.NODE_LINK.getByName(publicKey)
