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
  /** Messages from before the client had its end of the socket. */
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

export interface ClientSocket {
  readonly send: (text: string) => void
  readonly ping: () => void
  /** Null if the process of the node vanishes, and the hub is not told. */
  readonly close: (code: number | null) => void
}

/** How a socket reaches its object. */
interface ObjectSide {
  /** Another line each: what goes one way keeps its order. */
  readonly line: () => (deliver: () => void) => void
  /** Sends something as soon as what the object wrote is durable. */
  readonly say: (send: () => void) => void
  readonly message: (text: string) => void
  readonly pinged: () => void
  readonly closed: (code: number) => void
}

/** Joins the two ends of a socket. @returns The end of the node. */
export function joinSocket(socket: ServerSocket, client: SocketClient, object: ObjectSide): ClientSocket {
  let isOpen = true
  const toClient = object.line()
  const toObject = object.line()
  const end = (code: number) => {
    if (!isOpen) return
    isOpen = false
    client.closed(code)
  }
  socket.join({
    send: (text) => object.say(() => toClient(() => isOpen && client.message(text))),
    close: (code) =>
      object.say(() =>
        toClient(() => {
          end(code)
          toObject(() => object.closed(code))
        }),
      ),
  })
  return {
    send: (text) => {
      if (isOpen) toObject(() => socket.readyState === WebSocket.OPEN && object.message(text))
    },
    ping: () => {
      if (isOpen) toObject(object.pinged)
    },
    close: (code) => {
      if (isOpen && code !== null) toObject(() => object.closed(code))
      isOpen = false
    },
  }
}

/** Answers that may carry a socket, which the runtime of this process does not allow. */
const responsesOf = (Real: typeof Response) =>
  new Proxy(Real, {
    construct(target, [body, init]: [BodyInit | null, (ResponseInit & { webSocket?: unknown })?]) {
      const { status = 200, webSocket } = init ?? {}
      const isUpgrade = status === 101 || (body === null && status >= 400)
      return isUpgrade ? { status, webSocket } : new target(body, init)
    },
  })

/** Has the code of this process find the classes of the platform. @returns A function that puts the real ones back. */
export function installSockets(): () => void {
  const kept = { Response: globalThis.Response }
  Object.assign(globalThis, {
    Response: responsesOf(kept.Response),
    WebSocketPair: class {
      readonly 0 = {}
      readonly 1 = new ServerSocket()
    },
    WebSocketRequestResponsePair: class {},
  })
  return () => void Object.assign(globalThis, kept)
}
