import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Another origin than the hub, which has the right input for whatever node asks. */
export async function serveElsewhere(input: string) {
  const requests: string[] = []
  const server = createServer(({ url = '' }, response) => {
    requests.push(url)
    response.end(input)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/inputs/elsewhere?until=4102444800`,
    requests,
    stop: async () => {
      const stopped = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await stopped
    },
  }
}
