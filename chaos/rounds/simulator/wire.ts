import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** The way from one node to its hub, which may break. */
export type Wire = Awaited<ReturnType<typeof startWire>>

/** Passes bytes on between a node and the port of its hub. */
export async function startWire(port: number) {
  const sockets = new Set<Socket>()
  const join = (one: Socket, other: Socket) => {
    sockets.add(one)
    // A connection that breaks at one end breaks at the other.
    one.on('error', () => one.destroy())
    one.on('close', () => {
      sockets.delete(one)
      other.destroy()
    })
    one.pipe(other)
  }
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    join(near, far)
    join(far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  /** Breaks every connection, without a word to either end. */
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async stop() {
      cut()
      await new Promise<unknown>((resolve) => server.close(resolve))
    },
  }
}
