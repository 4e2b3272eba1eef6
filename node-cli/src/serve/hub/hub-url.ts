import { isLoopbackHost } from '../../../../protocol/encoding/index.ts'
import { UsageError } from '../../cli/errors.ts'

/**
 * Reads the address of a hub. Nobody may read or change requests and answers on the way, so it is https, or http on this
 * machine. @throws {@link UsageError}
 */
export function parseHubUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--hub-url must be a URL such as https://hub.example, not ${text}`)
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new UsageError(`--hub-url must begin with https: unless the hub is on this machine, not ${text}`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--hub-url must not hold a name or a password')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new UsageError(`--hub-url must end after the host: ${url.origin}`)
  return url
}
