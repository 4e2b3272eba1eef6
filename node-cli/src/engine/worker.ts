/** The thread runs take place in, one after the other; see engine-thread.ts. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
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

/** Everything is asked for once in a run, so that all of it sees the same modules and the same storage. */
function surroundings(): Surroundings {
  const known = new Map<string, unknown>()
  const once = (key: string, question: Question): unknown => {
    if (!known.has(key)) known.set(key, ask(question))
    return known.get(key)
  }
  return {
    module: (address) => once(address, { module: address }) as ReturnType<Surroundings['module']>,
    stored: (address, key) => once(`${address}/${key}`, { stored: { address, key } }) as Uint8Array | null,
  }
}

parentPort?.on('message', ({ engine, request }: ThreadRun) => {
  try {
    say({ result: executeWith(engine, request, surroundings()) })
  } catch (error) {
    say({ fault: error instanceof NodeFault ? error.message : String((error as Error).stack) })
  }
})
