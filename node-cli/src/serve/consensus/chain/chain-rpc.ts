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

/** A client of the node of a chain. What does not answer, or answers with an error, cannot tell yet. */
export function chainRpc(url: string): ChainRpc {
  return async (calls) => {
    const results: unknown[][] = []
    for (let from = 0; from < calls.length; from += callsOfRequest)
      results.push(await ask(url, calls.slice(from, from + callsOfRequest)))
    return results.flat()
  }
}

async function ask(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const { status, value } = await requestJson(url, {
    method: 'POST',
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
