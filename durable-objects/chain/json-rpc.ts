import { RpcAnswerTooLarge, type RpcCall, type RpcOutcome, RpcUnreachable } from './rpc-answers.ts'
import { RpcNode, type RpcOptions } from './rpc-node.ts'
import { type Checkpoint, type Conflict, surveyNodes } from './survey.ts'

export * from './rpc-answers.ts'

/** The result of the last survey, stored for an object that replaces this one. */
interface KeptSurvey {
  /** Places in the list of nodes. */
  usable: readonly number[]
  checkpoint: Checkpoint | null
  conflict: string | null
  atMs: number
}

const surveyMs = 60_000

/**
 * JSON-RPC to a chain, without retries: the caller knows what a repetition would mean. The calls of one batch go to one node, so that
 * its answers fit together. A node that fails is passed over, so a call, a signed transaction too, may reach more than one.
 * If the chain id is given, nodes are compared every {@link surveyMs}; only those that follow the chain and do not lag are asked,
 * and the node in use stays in use for as long as it is one of them.
 */
export class JsonRpc {
  readonly #nodes: readonly RpcNode[]
  readonly #chainId: number | null
  #usable: readonly RpcNode[]
  #surveyedAtMs = Number.NEGATIVE_INFINITY
  #survey: Promise<void> | null = null
  #checkpoint: Checkpoint | null = null
  #conflict: string | null = null
  readonly #keep: (survey: KeptSurvey) => void

  /**
   * @param urls - Addresses of nodes, comma separated, the preferred one first.
   * @param chainId - The chain that nodes have to follow; left out, they are asked as they are.
   */
  constructor(urls: string, timeoutMs: number, chainId?: number, options: RpcOptions = {}) {
    this.#nodes = urls.split(',').map((url) => new RpcNode(url.trim(), timeoutMs, options))
    this.#chainId = chainId !== undefined && this.#nodes.length > 1 ? chainId : null
    this.#usable = this.#chainId === null ? this.#nodes : []
    const key = `survey of ${this.#nodes.map(({ host }) => host).join()}`
    this.#keep = (survey) => options.memory?.put(key, survey)
    const kept = options.memory?.get<KeptSurvey>(key)
    if (kept === undefined || this.#chainId === null) return
    this.#usable = kept.usable.flatMap((index) => this.#nodes[index] ?? [])
    this.#checkpoint = kept.checkpoint
    this.#conflict = kept.conflict
    this.#surveyedAtMs = kept.atMs
  }

  /** Which nodes contradicted one another about a finalized block when they were last compared, or null. */
  get conflict(): string | null {
    return this.#conflict
  }

  /** @throws {@link RpcError} or {@link RpcUnreachable}. */
  async call<T>(...call: RpcCall): Promise<T> {
    const [result] = await this.all([call])
    return result as T
  }

  /** The outcome of each call, in order. @throws {@link RpcUnreachable} when the answer to any of them is missing. */
  async batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    let failure = new RpcUnreachable('no node follows the chain')
    for (const node of await this.#candidates()) {
      try {
        return await node.batch(calls)
      } catch (error) {
        // Too much is asked for, and the next node would say so too.
        if (!(error instanceof RpcUnreachable) || error instanceof RpcAnswerTooLarge) throw error
        failure = error
        this.#passOver(node)
      }
    }
    throw failure
  }

  /** The results of calls that all have to succeed. @throws {@link RpcError} or {@link RpcUnreachable}. */
  async all(calls: readonly RpcCall[]): Promise<unknown[]> {
    return (await this.batch(calls)).map((outcome) => {
      if (!outcome.ok) throw outcome.error
      return outcome.result
    })
  }

  /** Nobody waits for a survey while there is a node to ask. */
  async #candidates(): Promise<readonly RpcNode[]> {
    if (this.#chainId === null) return this.#usable
    const isDue = Date.now() - this.#surveyedAtMs >= surveyMs || this.#usable.length === 0
    if (isDue) this.#survey ??= this.#compare(this.#chainId)
    if (this.#usable.length === 0) await this.#survey
    return this.#usable
  }

  /** The node is asked again once a survey finds it usable; without surveys, when the others have failed as well. */
  #passOver(node: RpcNode): void {
    const others = this.#usable.filter((one) => one !== node)
    this.#usable = this.#chainId === null ? [...others, node] : others
  }

  /** A node that does not answer is not usable until the next survey. */
  async #compare(chainId: number): Promise<void> {
    const [inUse] = this.#usable
    const order = [...this.#nodes].sort((a, b) => Number(b === inUse) - Number(a === inUse))
    try {
      const { usable, checkpoint, conflict } = await surveyNodes(order, chainId, this.#checkpoint)
      this.#usable = usable
      this.#checkpoint = checkpoint
      this.#conflict = conflict && this.#describe(conflict)
      if (this.#conflict !== null) console.error(this.#conflict)
    } finally {
      this.#surveyedAtMs = Date.now()
      this.#survey = null
      this.#keep({
        usable: this.#usable.map((node) => this.#nodes.indexOf(node)),
        checkpoint: this.#checkpoint,
        conflict: this.#conflict,
        atMs: this.#surveyedAtMs,
      })
    }
  }

  /** Without addresses, which may hold keys. */
  #describe({ number, node, other }: Conflict): string {
    const place = (one: RpcNode) => `address ${this.#nodes.indexOf(one) + 1}`
    return `Of the nodes in CHAIN_RPC_URL, ${place(other)} has another block ${number} than ${place(node)}, and one of the two is called final. Find out which is wrong and remove it from CHAIN_RPC_URL.`
  }
}
