import { createServer } from 'node:net'
import { isObject } from '../../../protocol/encoding/index.ts'
import { requestJson } from '../http-json.ts'
import type { BindAddress } from '../serve/flags.ts'
import { type Check, failed, ok } from './finding.ts'

/**
 * Whether serve can listen, or does so already.
 *
 * @param url how this machine reaches the address.
 * @param nodeId of the key in the data directory; null if no key was made.
 */
export const portCheck =
  ({ host, port }: BindAddress, url: string, nodeId: string | null): Check =>
  async () => {
    const problem = await tryToListen(host, port)
    if (problem === null) return ok(`${host}:${port} is free`)
    if (problem !== 'EADDRINUSE')
      return failed(`serve cannot listen at ${host}:${port}: ${problem}`, 'Name another address with --bind.')
    const owner = await nodeAt(url)
    if (owner !== null && owner === nodeId) return ok(`this node answers at ${host}:${port}`)
    return failed(
      `${owner === null ? 'another program' : `another node, ${owner},`} listens at ${host}:${port}`,
      'Stop it, or give this node another port with --bind.',
    )
  }

/** The code of the error that prevents listening; null if the port can be used. */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

/** The id of the node that answers there; null for everything else. */
async function nodeAt(url: string): Promise<string | null> {
  try {
    const { value } = await requestJson(`${url}/node`, { timeoutSeconds: 5, answerBytesMax: 2 ** 20 })
    return isObject(value) && typeof value.node_id === 'string' ? value.node_id : null
  } catch {
    return null
  }
}
