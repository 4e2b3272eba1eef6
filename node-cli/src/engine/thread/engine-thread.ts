import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { EngineChoice } from '../engine-name.ts'
import {
  type AsyncStateReader,
  type ExecutionRequest,
  type ExecutionResult,
  NodeFault,
} from '../execution.ts'
import type { Answer, Question, ThreadData, ThreadMessage } from './messages.ts'

/** Outlasts nine guests on top of each other, each at its own stack limit and calling the host as deep as it can. */
const stackMegabytes = 256
/** JavaScript's own memory; the guest's is capped by its module. */
const heapMegabytes = 512

const givenUp = 'the run was given up'

/** Limits that end a run before its guest does. */
export interface RunBounds {
  readonly timeoutSeconds: number
  readonly signal: AbortSignal | undefined
}

interface Pending {
  readonly state: AsyncStateReader
  readonly resolve: (result: ExecutionResult) => void
  readonly reject: (fault: NodeFault) => void
  readonly clock: NodeJS.Timeout
  /** Stops listening to the signal that ends the run. */
  readonly forget: () => void
}

/**
 * A thread that runs guests, one at a time: with a stack that outlasts the guests', a cap on memory, and a clock that
 * stops it, for gas does not bound time. It keeps compiled modules from run to run.
 */
export class EngineThread {
  readonly #worker: Worker
  readonly #answers: MessagePort
  readonly #flag = new Int32Array(new SharedArrayBuffer(4))
  #pending: Pending | undefined
  #ended = false

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.#answers = port1
    // From the sources the worker is a .ts file, in the published package it lies beside the other bundles.
    const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.mjs'
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: { signal: this.#flag.buffer, answers: port2 } satisfies ThreadData,
      transferList: [port2],
      resourceLimits: { stackSizeMb: stackMegabytes, maxOldGenerationSizeMb: heapMegabytes },
    })
    this.#answers.unref()
    this.#worker.unref()
    this.#worker.on('message', (message: ThreadMessage) => this.#hear(message))
    this.#worker.on('error', (error) => this.#end(`the engine failed: ${error.message}`))
    this.#worker.on('exit', () => this.#end('the engine ended without an answer'))
  }

  /** Whether the thread can take no more runs. */
  get ended(): boolean {
    return this.#ended
  }

  /** @throws {@link NodeFault} when there is no answer of the guest; a thread that had to be stopped is of no more use. */
  run(
    engine: EngineChoice,
    request: ExecutionRequest,
    state: AsyncStateReader,
    { timeoutSeconds, signal }: RunBounds,
  ): Promise<ExecutionResult> {
    if (this.#pending !== undefined) throw new Error('a thread runs one guest at a time')
    return new Promise((resolve, reject) => {
      if (this.#ended || signal?.aborted) {
        reject(new NodeFault(this.#ended ? 'the engine has ended' : givenUp))
        return
      }
      const cutOff = (reason: string): void => {
        this.#end(reason)
        void this.#worker.terminate()
      }
      const clock = setTimeout(
        () => cutOff(`the run took longer than ${timeoutSeconds} s`),
        timeoutSeconds * 1000,
      )
      const giveUp = () => cutOff(givenUp)
      signal?.addEventListener('abort', giveUp)
      const forget = () => signal?.removeEventListener('abort', giveUp)
      this.#pending = { state, resolve, reject, clock, forget }
      this.#worker.ref()
      this.#worker.postMessage({ engine, request })
    })
  }

  async close(): Promise<void> {
    this.#ended = true
    this.#answers.close()
    await this.#worker.terminate()
  }

  #hear(message: ThreadMessage): void {
    if ('question' in message) return void this.#answer(message.question)
    const pending = this.#settle()
    if ('result' in message) pending?.resolve(message.result)
    else pending?.reject(new NodeFault(message.fault))
  }

  async #answer(question: Question): Promise<void> {
    const state = this.#pending?.state
    if (state === undefined) return
    let answer: Answer
    try {
      answer =
        'module' in question
          ? { value: await state.module(question.module) }
          : { value: await state.stored(question.stored.address, question.stored.key) }
    } catch (error) {
      answer = { fault: (error as Error).message }
    }
    this.#answers.postMessage(answer)
    Atomics.store(this.#flag, 0, 1)
    Atomics.notify(this.#flag, 0)
  }

  #end(message: string): void {
    this.#ended = true
    this.#settle()?.reject(new NodeFault(message))
  }

  #settle(): Pending | undefined {
    const pending = this.#pending
    this.#pending = undefined
    clearTimeout(pending?.clock)
    pending?.forget()
    this.#worker.unref()
    return pending
  }
}
