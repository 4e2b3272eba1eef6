import { orNull } from '../or-null.ts'
import {
  quantity,
  type RpcCall,
  type RpcOutcome,
  RpcUnreachable,
  readObject,
  readQuantity,
} from './rpc-answers.ts'
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
  /** The hash of the block that has the number of the checkpoint. */
  known: string | undefined
}

/**
 * Asks nodes, the preferred one first, which of them can stand in for one another. One without the checkpoint is not followed, however far
 * ahead it is, unless all are without it. If the others contradict each other, the first is followed, with those that agree with it.
 */
export async function surveyNodes(
  nodes: readonly RpcNode[],
  chainId: number,
  checkpoint: Checkpoint | null,
): Promise<Survey> {
  const answers = await Promise.all(
    nodes.map((node) => orNull(viewOf(node, chainId, checkpoint), RpcUnreachable)),
  )
  const views = answers.filter((view) => view !== null)
  const faithful = views.filter(
    ({ head, known }) => checkpoint === null || head < checkpoint.number || known === checkpoint.hash,
  )
  // If all nodes answer and no node has the checkpoint, they agree that it is gone.
  const isGone = faithful.length === 0 && views.length === nodes.length
  const followed = isGone ? views : faithful
  const head = followed.reduce((highest, view) => Math.max(highest, view.head), 0)
  const current = followed.filter((view) => view.head >= head - lagBlocksMax)
  // The highest: else a node that says that nothing is final could have any history.
  const final = current.reduce((highest, view) => Math.max(highest, view.final), 0)
  const number = current.reduce((lowest, view) => Math.min(lowest, view.head), final)
  const hashOfNode = ({ node, known }: View) => (number === checkpoint?.number ? known : hashAt(node, number))
  const compared = (
    await Promise.all(current.map(async (view) => ({ node: view.node, hash: await hashOfNode(view) })))
  ).filter(({ hash }) => hash !== undefined)
  const [first] = compared
  if (first?.hash === undefined) return { usable: [], checkpoint, conflict: null }
  const other = compared.find(({ hash }) => hash !== first.hash)
  // Without the checkpoint, what a node itself calls final does not matter.
  const passedOver = views
    .filter((view) => !current.includes(view))
    .map((view) => ({
      node: view.node,
      number: Math.min(number, faithful.includes(view) ? view.final : (checkpoint?.number ?? number)),
    }))
  return {
    usable: compared.filter(({ hash }) => hash === first.hash).map(({ node }) => node),
    checkpoint: { number, hash: first.hash },
    conflict: other
      ? { number, node: first.node, other: other.node }
      : await conflictWith(first.node, passedOver),
  }
}

async function conflictWith(
  node: RpcNode,
  others: readonly { node: RpcNode; number: number }[],
): Promise<Conflict | null> {
  const conflicts = await Promise.all(
    others.map(async ({ node: other, number }) => {
      const [own, its] = await Promise.all([hashAt(node, number), hashAt(other, number)])
      const differs = own !== undefined && its !== undefined && own !== its
      return differs ? { number, node, other } : null
    }),
  )
  return conflicts.find((conflict) => conflict !== null) ?? null
}

async function viewOf(node: RpcNode, chainId: number, checkpoint: Checkpoint | null): Promise<View | null> {
  const [latest, finalized, checked] = await node.batch([
    ['eth_getBlockByNumber', 'latest', false],
    ['eth_getBlockByNumber', 'finalized', false],
    ...(checkpoint ? [blockCall(checkpoint.number)] : []),
  ])
  const known = hashOf(checked)
  // No other chain has the checkpoint.
  if ((known === undefined || known !== checkpoint?.hash) && !(await isOfChain(node, chainId))) return null
  const head = numberOf(latest)
  if (head === null) return null
  const claimed = numberOf(finalized) ?? head + 1
  const final = claimed <= head ? claimed : Math.max(0, head - finalBlocks)
  return { node, head, final, known }
}

async function isOfChain(node: RpcNode, chainId: number): Promise<boolean> {
  const [id] = await node.batch([['eth_chainId']])
  return id?.ok === true && readQuantity(id.result) === BigInt(chainId)
}

const blockCall = (number: number): RpcCall => ['eth_getBlockByNumber', quantity(number), false]

async function hashAt(node: RpcNode, number: number): Promise<string | undefined> {
  const asked = node.batch([blockCall(number)])
  const hash = asked.then(([block]) => hashOf(block))
  return (await orNull(hash, RpcUnreachable)) ?? undefined
}

const numberOf = (block: RpcOutcome | undefined): number | null =>
  block?.ok && block.result !== null ? Number(readQuantity(readObject(block.result).number)) : null

const hashOf = (block: RpcOutcome | undefined): string | undefined =>
  block?.ok && block.result !== null ? String(readObject(block.result).hash) : undefined
