/** The other side of a simulated WebSocket: a process of a node. */
export interface SocketClient {
  readonly message: (text: string) => void
  readonly closed: (code: number) => void
}

interface SocketOut {
  readonly send: (text: string) => void
  readonly close: (code: number) => void
}

/** The hub's side of a WebSocket, in the shape that the platform gives it to a Durable Object. */
export class ServerSocket {
  readonly tags: string[] = []
  pingedAt: Date | null = null
  readyState: number = WebSocket.OPEN
  #out: SocketOut | null = null
  /** What was said before the client had its end. */
  readonly #early: ((out: SocketOut) => void)[] = []

  send(text: string): void {
    if (this.readyState === WebSocket.OPEN) this.#say((out) => out.send(text))
  }

  close(code = 1005): void {
    if (this.readyState !== WebSocket.OPEN) return
    this.readyState = WebSocket.CLOSING
    this.#say((out) => out.close(code))
  }

  /** The client has its end now. */
  join(out: SocketOut): void {
    this.#out = out
    for (const say of this.#early.splice(0)) say(out)
  }

  #say(what: (out: SocketOut) => void): void {
    if (this.#out === null) this.#early.push(what)
    else what(this.#out)
  }
}

/** An answer that may carry a socket, which the runtime of this process does not allow. */
class UpgradeResponse {
  readonly status: number
  readonly webSocket: unknown
  constructor(_body: null, init: { status: number; webSocket: unknown }) {
    this.status = init.status
    this.webSocket = init.webSocket
  }
}

/** Has the code of this process find the classes of the platform. @returns A function that puts the real ones back. */
export function installSockets(): () => void {
  const kept = { Response: globalThis.Response }
  Object.assign(globalThis, {
    Response: UpgradeResponse,
    WebSocketPair: class {
      readonly 0 = {}
      readonly 1 = new ServerSocket()
    },
    WebSocketRequestResponsePair: class {},
  })
  return () => void Object.assign(globalThis, kept)
}
