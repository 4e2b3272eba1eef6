import { type AddressInfo, createServer } from 'node:net'

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
