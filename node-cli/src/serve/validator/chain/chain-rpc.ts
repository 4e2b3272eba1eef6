import { isObject } from '../../../../../protocol/encoding/index.ts'
import { NoAnswer, OversizedAnswer, requestJson } from '../../../http-json.ts'
import { NotYet } from '../refusal.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Asks several questions at once; the results are in the order of the calls. @throws {@link NotYet} */
export type ChainRpc = (calls: readonly RpcCall[]) => Promise<readonly unknown[]>

const timeoutSeconds = 10
const answerBytesMax = 4 * 1024 * 1024
/** More in one request is refused by some that offer access to a chain. */
const callsOfRequest = 100

/** A client of a chain node. If the node does not answer, or answers with an error, the client throws {@link NotYet}. */
export function chainRpc(address: string): ChainRpc {
  const { url, headers } = withoutCredentials(address)
  return async (calls) => {
    const results: unknown[][] = []
    for (let from = 0; from < calls.length; from += callsOfRequest)
      results.push(await ask(url, headers, calls.slice(from, from + callsOfRequest)))
    return results.flat()
  }
}

/** `fetch` takes no name and password within a URL. */
function withoutCredentials(address: string): { url: string; headers: Record<string, string> } {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url: address, headers: {} }
  url.username = ''
  url.password = ''
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return { url: url.href, headers: { Authorization: `Basic ${credentials.toString('base64')}` } }
}

async function ask(
  url: string,
  headers: Record<string, string>,
  calls: readonly RpcCall[],
): Promise<unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const { status, value } = await requestJson(url, {
    method: 'POST',
    headers,
    body,
    timeoutSeconds,
    answerBytesMax,
  }).catch((error: Error) => {
    if (error instanceof NoAnswer || error instanceof OversizedAnswer)
      throw new NotYet(`the chain does not answer: ${error.message}`)
    throw error
  })
  if (status !== 200 || !Array.isArray(value)) throw new NotYet(`the chain cannot answer now (${status})`)
  const answers = new Map<unknown, unknown>(value.filter(isObject).map((answer) => [answer.id, answer]))
  return calls.map(({ method }, id) => {
    const answer = answers.get(id)
    if (isObject(answer) && 'result' in answer) return answer.result
    throw new NotYet(`the chain does not answer ${method}`)
  })
}
