/** The part of the WebSocket library that nodectl and its tests use. The package has no types of its own. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events'
  import type { ClientRequest, IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  interface ClientOptions {
    headers?: Readonly<Record<string, string>>
    handshakeTimeout?: number
    closeTimeout?: number
    maxPayload?: number
    perMessageDeflate?: boolean
  }

  interface WebSocketEvents {
    open: []
    message: [data: Buffer, isBinary: boolean]
    error: [error: Error]
    close: [code: number, reason: Buffer]
    'unexpected-response': [request: ClientRequest, response: IncomingMessage]
  }

  export class WebSocket extends EventEmitter<WebSocketEvents> {
    static readonly OPEN: 1
    constructor(address: string, protocols: readonly string[], options?: ClientOptions)
    readonly readyState: number
    /** The subprotocol that the server took. */
    readonly protocol: string
    send(data: string | Uint8Array): void
    close(code?: number, reason?: string): void
    /** Ends the connection without a closing handshake. */
    terminate(): void
  }

  interface ServerOptions {
    noServer: true
    perMessageDeflate?: boolean
  }

  export class WebSocketServer {
    constructor(options: ServerOptions)
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      opened: (socket: WebSocket) => void,
    ): void
  }
}
