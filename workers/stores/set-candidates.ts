import { and, eq, isNull, sql } from 'drizzle-orm'
import type { ChainEvent } from '../chain/events.ts'
import { isState } from './chain-facts.ts'
import { Store } from './database.ts'
import { chainEvents, chainStates, devices, nodes, subscriptions } from './schema/index.ts'

export type CandidateRow = Awaited<ReturnType<SetCandidateStore['page']>>[number]

export type CandidatePosition = Pick<typeof subscriptions.$inferSelect, 'nodeKey' | 'subscriptionId'>

const eventsMax = 2_000

export class SetCandidateStore extends Store {
  /** The subscriptions of a project in the order of their keys; `limit` rows after `after`. */
  async page(projectId: string, after: CandidatePosition, limit: number) {
    const { subscriptionId, nodeKey, closings, pausedAt, reputation, nodeId } = subscriptions
    const rows = await this.db
      .select({
        ...{ subscriptionId, nodeKey, closings, pausedAt, reputation },
        ...{ bindingHash: devices.bindingHash, owner: devices.owner, publicKey: devices.publicKey },
        isFaulty: sql<number>`coalesce(${nodes.health} = 'faulty' OR ${nodes.status} = 'revoked', 0)
          OR ${devices.bannedAt} IS NOT NULL OR ${devices.voteFaultAt} IS NOT NULL
          OR ${devices.benchmarkFaultAt} IS NOT NULL`,
        // The state that follows from its events, and the block of the last of them; null before the first.
        ...{ state: chainStates.state, stateBlock: chainStates.blockNumber },
      })
      .from(subscriptions)
      .leftJoin(devices, and(eq(devices.nodeId, nodeId), isNull(devices.unboundAt)))
      .leftJoin(nodes, eq(nodes.nodeId, nodeId))
      .leftJoin(chainStates, isState('subscription', subscriptionId))
      .where(
        and(
          eq(subscriptions.projectId, projectId),
          sql`(${nodeKey}, ${subscriptionId}) > (${after.nodeKey}, ${after.subscriptionId})`,
        ),
      )
      .orderBy(nodeKey, subscriptionId)
      .limit(limit)
    return rows.map(({ bindingHash, owner, publicKey, isFaulty, ...row }) => ({
      ...row,
      binding:
        bindingHash === null || owner === null || publicKey === null
          ? null
          : { binding_hash: bindingHash, owner, public_key: publicKey },
      isFaulty: isFaulty === 1,
    }))
  }

  /** The final events of subscriptions up to a block, in chain order. */
  async *eventsUpTo(
    subscriptionIds: readonly string[],
    block: number,
  ): AsyncGenerator<{ subscriptionId: string; event: ChainEvent }> {
    const { blockHash, logIndex, blockNumber, blockTime, txHash, contract, name, args } = chainEvents
    const subscription = sql<string>`json_extract(${args}, '$.subscriptionId')`
    let after = [-1, -1]
    for (;;) {
      const [afterBlock, afterLog] = after
      const rows = await this.db
        .select({
          subscriptionId: subscription,
          ...{ blockHash, logIndex, blockNumber, blockTime, txHash, contract, name, args },
        })
        .from(sql`json_each(${JSON.stringify(subscriptionIds)}) AS wanted`)
        .innerJoin(chainEvents, sql`${subscription} = wanted.value`)
        .where(
          sql`${subscription} IS NOT NULL AND ${chainEvents.provisional} = 0 AND ${blockNumber} <= ${block}
            AND (${blockNumber}, ${logIndex}) > (${afterBlock}, ${afterLog})`,
        )
        .orderBy(blockNumber, logIndex)
        .limit(eventsMax)
      for (const { subscriptionId, ...event } of rows) yield { subscriptionId, event }
      const last = rows.at(-1)
      if (last === undefined || rows.length < eventsMax) return
      after = [last.blockNumber, last.logIndex]
    }
  }
}
