import { quantity, type RpcOutcome, RpcUnreachable, readObject, readQuantity } from './rpc-answers.ts'
import type { RpcNode } from './rpc-node.ts'

/** A block that nodes called final. */
export interface Checkpoint {
  number: number
  hash: string
}

export interface Survey {
  /** Nodes that follow the chain and do not lag, in the order they were given in. */
  usable: readonly RpcNode[]
  /** Known of the chain that these follow; what a later survey compares with. */
  checkpoint: Checkpoint | null
  conflict: Conflict | null
}

/** Two nodes that have different blocks of a number that is final to one of them. */
export interface Conflict {
  number: number
  node: RpcNode
  other: RpcNode
}

/** Nodes behind one gateway differ by a block or two; more is a node that lags. */
const lagBlocksMax = 5
/** Depth at which a block counts as final where a node does not say, or names one that it does not have. */
const finalBlocks = 64

interface View {
  node: RpcNode
  head: number
  final: number
}

/**
 * Asks nodes which of them can stand in for one another. Where they contradict each other, those are followed that have
 * the checkpoint, and among these the first and whoever agrees with it.
 *
 * @param nodes - The preferred one first.
 */
export async function surveyNodes(
  nodes: readonly RpcNode[],
  chainId: number,
  checkpoint: Checkpoint | null,
): Promise<Survey> {
  const views = (await Promise.all(nodes.map((node) => viewOf(node, chainId)))).filter(
    (view) => view !== null,
  )
  const head = views.reduce((highest, view) => Math.max(highest, view.head), 0)
  const current = views.filter((view) => view.head >= head - lagBlocksMax)
  // The highest: else a node that says that nothing is final could have any history.
  const final = current.reduce((highest, view) => Math.max(highest, view.final), 0)
  const number = current.reduce((lowest, view) => Math.min(lowest, view.head), final)
  const compared = (
    await Promise.all(
      current.map(async ({ node }) => {
        const [hash, known] = await hashesOf(node, [number, checkpoint?.number ?? number])
        return { node, hash, known }
      }),
    )
  ).filter(({ hash }) => hash !== undefined)
  const faithful = compared.filter(({ known }) => checkpoint === null || known === checkpoint.hash)
  // Where no node has it any more, they agree that it went.
  const [first] = faithful.length > 0 ? faithful : compared
  if (first?.hash === undefined) return { usable: [], checkpoint, conflict: null }
  const other = compared.find(({ hash }) => hash !== first.hash)
  return {
    usable: compared.filter(({ hash }) => hash === first.hash).map(({ node }) => node),
    checkpoint: { number, hash: first.hash },
    conflict: other ? { number, node: first.node, other: other.node } : null,
  }
}

/** What a node says of itself; null for one that fails, and for one of another chain. */
function viewOf(node: RpcNode, chainId: number): Promise<View | null> {
  return unlessUnreachable(null, async () => {
    const [id, latest, finalized] = await node.batch([
      ['eth_chainId'],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getBlockByNumber', 'finalized', false],
    ])
    if (!id?.ok || readQuantity(id.result) !== BigInt(chainId)) return null
    const head = numberOf(latest)
    if (head === null) return null
    const claimed = numberOf(finalized) ?? head + 1
    return { node, head, final: claimed <= head ? claimed : Math.max(0, head - finalBlocks) }
  })
}

/** The hashes of blocks; none from a node that fails. */
function hashesOf(node: RpcNode, numbers: readonly number[]): Promise<(string | undefined)[]> {
  return unlessUnreachable([], async () => {
    const blocks = await node.batch(
      numbers.map((number) => ['eth_getBlockByNumber', quantity(number), false]),
    )
    return blocks.map((block) => (block.ok && block.result !== null ? hashOf(block.result) : undefined))
  })
}

async function unlessUnreachable<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof RpcUnreachable) return otherwise
    throw error
  }
}

const numberOf = (block: RpcOutcome | undefined): number | null =>
  block?.ok && block.result !== null ? Number(readQuantity(readObject(block.result).number)) : null

const hashOf = (block: unknown): string => String(readObject(block).hash)
