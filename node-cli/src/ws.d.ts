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
    /** False leaves pings unanswered. */
    autoPong?: boolean
  }

  interface WebSocketEvents {
    open: []
    message: [data: Buffer, isBinary: boolean]
    pong: [data: Buffer]
    error: [error: Error]
    close: [code: number, reason: Buffer]
    'unexpected-response': [request: ClientRequest, response: IncomingMessage]
  }

  export class WebSocket extends EventEmitter<WebSocketEvents> {
    static readonly OPEN: 1
    constructor(address: string, protocols: readonly string[], options?: ClientOptions)
    readonly readyState: number
    send(text: string): void
    ping(): void
    close(code?: number, reason?: string): void
    /** Ends the connection without a closing handshake. */
    terminate(): void
  }

  interface ServerOptions {
    noServer: true
    autoPong?: boolean
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
