import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a port of this machine that can be cut, and opened again. */
export async function startGate(target: string) {
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((outside) => {
    if (!isOpen) return outside.destroy()
    const inside = connect(Number(target), '127.0.0.1')
    outside.pipe(inside).pipe(outside)
    for (const side of [outside, inside]) {
      sockets.add(side)
      side.on('error', () => {})
      side.once('close', () => [outside, inside].map((one) => one.destroy() && sockets.delete(one)))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = () => sockets.forEach((socket) => void socket.destroy())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open() {
      isOpen = true
    },
    close() {
      isOpen = false
      cut()
    },
    async stop() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
