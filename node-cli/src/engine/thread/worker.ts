/** The thread runs take place in, one after the other; see engine-thread.ts. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { engines } from '../engines.ts'
import { type CallableModule, NodeFault, type StateReader } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import { AnswerCache } from './answer-cache.ts'
import type { Answer, Question, ThreadData, ThreadMessage, ThreadRun } from './messages.ts'

const { signal, answers } = workerData as ThreadData
const flag = new Int32Array(signal)

const say = (message: ThreadMessage): void => parentPort?.postMessage(message)

/** Asks the main thread and sleeps until it has answered. @throws {@link NodeFault} when it could not. */
function ask(question: Question): unknown {
  say({ question })
  Atomics.wait(flag, 0, 0)
  Atomics.store(flag, 0, 0)
  const answer = receiveMessageOnPort(answers)?.message as Answer
  if ('fault' in answer) throw new NodeFault(answer.fault)
  return answer.value
}

function stateReader(): StateReader {
  const cache = new AnswerCache()
  return {
    module: (address) =>
      cache.get(
        address,
        () => ask({ module: address }) as CallableModule | null,
        (module) => module?.wasm.length ?? 0,
      ),
    stored: (address, key) =>
      cache.get(
        `${address}/${key}`,
        () => ask({ stored: { address, key } }) as Uint8Array | null,
        (value) => value?.length ?? 0,
      ),
  }
}

parentPort?.on('message', ({ engine, request }: ThreadRun) => {
  try {
    say({ result: executeOn(engines[engine], request, stateReader()) })
  } catch (error) {
    say({ fault: error instanceof NodeFault ? error.message : String((error as Error).stack) })
  }
})
