import { isObject } from '../../../../protocol/encoding/index.ts'
import { NoAnswer, OversizedAnswer, requestJson } from '../../http-json.ts'

const timeoutSeconds = 10
const answerBytesMax = 64 * 1024

/** Why hub and peers do not reach a node at its URL, as far as it sees that from its own machine; null when they do. */
export async function findUnreachable(
  url: string,
  nodeId: string,
  stop: AbortSignal,
): Promise<string | null> {
  try {
    const answer = await requestJson(`${url.replace(/\/$/, '')}/node`, {
      timeoutSeconds,
      answerBytesMax,
      stop,
    })
    const found = isObject(answer.value) ? answer.value.node_id : undefined
    if (answer.status === 200 && found === nodeId) return null
    return typeof found === 'string' ? `another node, ${found}, answers there` : 'no node answers there'
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof OversizedAnswer) return error.message
    throw error
  }
}
