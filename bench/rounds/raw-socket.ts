import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'

/** A WebSocket as bytes: thousands of them take little memory here, and pings can be sent that Node's own cannot. */
export interface RawSocket {
  /** A text of at most 65,535 bytes. */
  send(text: string): void
  ping(): void
  /** Frames that have come: texts, and pongs as `null`. */
  readonly received: (string | null)[]
  end(): void
}

const opcodes = { text: 0x1, ping: 0x9, pong: 0xa } as const

/** Opens a WebSocket. @throws With what the server answered instead. */
export function openRawSocket(url: string, headers: Record<string, string>): Promise<RawSocket> {
  return new Promise((resolve, reject) => {
    const upgrade = request(url, {
      headers: {
        ...headers,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      },
    })
    upgrade.on('upgrade', (_, socket: Socket, head) => resolve(rawSocket(socket, head)))
    upgrade.on('response', (response) => reject(new Error(`answered with ${response.statusCode}`)))
    upgrade.on('error', reject)
    upgrade.end()
  })
}

function rawSocket(socket: Socket, head: Buffer): RawSocket {
  const received: (string | null)[] = []
  let rest: Buffer = Buffer.alloc(0)
  const take = (bytes: Buffer) => {
    rest = readFrames(Buffer.concat([rest, bytes]), received)
  }
  take(head)
  socket.on('data', take)
  socket.on('error', () => socket.destroy())
  return {
    received,
    send: (text) => void socket.write(frame(opcodes.text, Buffer.from(text))),
    ping: () => void socket.write(frame(opcodes.ping, Buffer.alloc(0))),
    end: () => socket.destroy(),
  }
}

/** What a client sends is masked; a mask of zeros leaves it as it is. */
function frame(opcode: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload])
}

/** @returns What is left of a frame that has not come whole. */
function readFrames(bytes: Buffer, received: (string | null)[]): Buffer {
  let left = bytes
  while (left.length >= 2) {
    const short = (left[1] ?? 0) & 0x7f
    const start = short === 126 ? 4 : 2
    if (left.length < start) break
    const length = short === 126 ? left.readUInt16BE(2) : short
    if (left.length < start + length) break
    const opcode = (left[0] ?? 0) & 0xf
    if (opcode === opcodes.text) received.push(left.toString('utf8', start, start + length))
    if (opcode === opcodes.pong) received.push(null)
    left = left.subarray(start + length)
  }
  return left
}
