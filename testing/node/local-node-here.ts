import { flagsOf, LocalNode, type NodePlan, type NodeSurroundings } from '../../localnet/nodes/local-node.ts'
import { type NodeHere, serveHere } from './node-here.ts'

/** A node of a local network in this process, for tests that are not about processes. It has no file for its log. */
export class LocalNodeHere extends LocalNode {
  readonly #surroundings: NodeSurroundings
  #node: NodeHere | null = null
  #nodeId: string | null = null

  constructor(plan: NodePlan, surroundings: NodeSurroundings) {
    super(plan, surroundings)
    this.#surroundings = surroundings
  }

  override get pid(): number | null {
    return this.#node === null ? null : process.pid
  }

  override get nodeId(): string | null {
    return this.#nodeId
  }

  override async start(): Promise<void> {
    const { apiToken, onLoss = () => {} } = this.#surroundings
    const node = await serveHere(this.plan.dataDir, {
      flags: flagsOf(this.plan, this.#surroundings),
      env: { NODE_API_TOKEN: apiToken },
    })
    this.#node = node
    this.#nodeId = node.node_id
    const tellOfLoss = () => this.#node === node && onLoss(this)
    node.ended.then(tellOfLoss, tellOfLoss)
  }

  override async stop(): Promise<number | null> {
    const node = this.#node
    if (node === null) return null
    this.#node = null
    await node.stop()
    return 0
  }

  override async kill(): Promise<void> {
    throw new Error(`${this.name} runs in the process of its test, which would be killed.`)
  }
}
