import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { type AddressInfo, connect, createServer } from 'node:net'

/**
 * Opens a port of this machine for a moment; 0 takes any free one.
 *
 * @returns The port.
 * @throws The error of the system when it cannot be opened.
 */
export function probePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const { port: opened } = server.address() as AddressInfo
      server.close(() => resolve(opened))
    })
  })
}

/**
 * Whether a program accepts connections to this port of `localhost`. A probe misses one that listens at the address of the other
 * version of IP alone, and on some systems one that listens at all addresses.
 */
export async function isAnswered(port: number): Promise<boolean> {
  return (await Promise.all(['127.0.0.1', '::1'].map((host) => accepts(host, port)))).includes(true)
}

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const end = (isAccepted: boolean) => {
      socket.destroy()
      resolve(isAccepted)
    }
    socket.once('connect', () => end(true))
    for (const event of ['error', 'timeout']) socket.once(event, () => end(false))
  })

/** Systems give higher ones to connections, and to programs that take any. */
const pickedFrom = { min: 20_000, end: 32_768 }

/**
 * Picks a port for a program that starts later, or starts again: nobody else on this machine picks it as long as this
 * process runs, and the system gives it to nobody.
 *
 * @param count How many ports that follow each other; the first is returned.
 */
export async function pickPort(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(pickedFrom.min, pickedFrom.end - count)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const claims = await Promise.all(ports.map(claim))
    if (!claims.includes(null) && (await areFree(ports))) return first
    for (const socket of claims) socket?.close()
  }
}

/** The datagrams at a number, which no program here takes, say who has its connections. */
function claim(port: number): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', (error: NodeJS.ErrnoException) =>
      isTaken(error) ? socket.close(() => resolve(null)) : reject(error),
    )
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(socket))
  })
}

async function areFree(ports: readonly number[]): Promise<boolean> {
  try {
    await Promise.all(ports.map(probePort))
    return true
  } catch (error) {
    if (isTaken(error as NodeJS.ErrnoException)) return false
    throw error
  }
}

/** Some systems keep numbers for themselves. */
const isTaken = ({ code }: NodeJS.ErrnoException): boolean => code === 'EADDRINUSE' || code === 'EACCES'
