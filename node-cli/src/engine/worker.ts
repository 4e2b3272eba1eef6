/** The thread runs take place in, one after the other; see engine-thread.ts. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { AskedOnce } from './asked-once.ts'
import { executeWith } from './engines.ts'
import { NodeFault, type Surroundings } from './execution.ts'
import type { Answer, Question, ThreadData, ThreadMessage, ThreadRun } from './thread-messages.ts'

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

function surroundings(): Surroundings {
  const asked = new AskedOnce()
  return {
    module: (address) =>
      asked.get(
        address,
        () => ask({ module: address }) as ReturnType<Surroundings['module']>,
        (module) => module?.wasm.length ?? 0,
      ),
    stored: (address, key) =>
      asked.get(
        `${address}/${key}`,
        () => ask({ stored: { address, key } }) as Uint8Array | null,
        (value) => value?.length ?? 0,
      ),
  }
}

parentPort?.on('message', ({ engine, request }: ThreadRun) => {
  try {
    say({ result: executeWith(engine, request, surroundings()) })
  } catch (error) {
    say({ fault: error instanceof NodeFault ? error.message : String((error as Error).stack) })
  }
})
