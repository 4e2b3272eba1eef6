import { and, desc, eq, type InferSelectModel, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, Store } from './database.ts'
import { nodes } from './schema/index.ts'
import { isOneOf } from './statements.ts'

type Row = InferSelectModel<typeof nodes>

export type Node = Omit<Row, 'url'> & {
  /** Null for a miner without a public endpoint. */
  url: string | null
}

/** The column takes no null: an empty text stands for it. */
const nodeOf = (row: Row): Node => ({ ...row, url: row.url || null })

export type NodeStatus = Node['status']

export type NodeRegistration = Pick<Node, 'nodeId' | 'publicKey' | 'role' | 'url' | 'region'> & {
  engine: string
  nodectlVersion: string
  capabilities: string[]
}

export interface NodeFilter {
  role?: Node['role'] | undefined
  status?: NodeStatus | undefined
}

/** Nodes that registered with the hub, and what operators decided about them. */
export class NodeStore extends Store {
  /** The registered nodes among `nodeIds`. */
  async findAll(nodeIds: readonly string[]): Promise<Node[]> {
    const rows = await this.db.select().from(nodes).where(isOneOf(nodes.nodeId, nodeIds))
    return rows.map(nodeOf)
  }

  async find(nodeId: string): Promise<Node | null> {
    const rows = await this.db.select().from(nodes).where(eq(nodes.nodeId, nodeId))
    return rows[0] === undefined ? null : nodeOf(rows[0])
  }

  /**
   * Inserts or renews a registration. The decision of an operator stays, except that a node that was approved in another
   * role begins as `status` again. A revoked node stays as it is.
   */
  async register(registration: NodeRegistration, status: NodeStatus, now: number): Promise<Node> {
    const { nodeId, publicKey, ...members } = registration
    const columns = { ...members, url: members.url ?? '' }
    await this.db
      .insert(nodes)
      .values({ nodeId, publicKey, ...columns, status, registeredAt: now, updatedAt: now })
      .onConflictDoUpdate({
        target: nodes.nodeId,
        set: {
          ...columns,
          status: sql`CASE WHEN ${nodes.role} = excluded.role THEN ${nodes.status} ELSE excluded.status END`,
          updatedAt: now,
        },
        setWhere: ne(nodes.status, 'revoked'),
      })
    const node = await this.find(nodeId)
    if (node === null) throw new Error(`the node ${nodeId} was registered and is gone`)
    return node
  }

  async beat(nodeId: string, health: NonNullable<Node['health']>, now: number): Promise<NodeStatus | null> {
    const [row] = await this.db
      .update(nodes)
      .set({ health, lastHeartbeatAt: now })
      .where(eq(nodes.nodeId, nodeId))
      .returning({ status: nodes.status })
    return row?.status ?? null
  }

  /** Approves or revokes, and notes it; a node that has the status already is left alone. */
  async decide(
    nodeId: string,
    status: 'approved' | 'revoked',
    decision: Decision,
    now: number,
  ): Promise<'changed' | 'unchanged'> {
    const found = and(eq(nodes.nodeId, nodeId), ne(nodes.status, status))
    const action = status === 'approved' ? 'node.approve' : 'node.revoke'
    const results = await batch(this.db, [
      auditStatement({ ...decision, action, subject: nodeId, after: { status } }, now, statusOf(found)),
      this.db.update(nodes).set({ status, updatedAt: now }).where(found),
    ])
    return results[1]?.meta.changes === 1 ? 'changed' : 'unchanged'
  }

  /** Ends the key of a validator, once, in network time: what it signs later counts for nothing. */
  async endKey(nodeId: string, decision: Decision, revokedAt: number): Promise<void> {
    const found = and(eq(nodes.nodeId, nodeId), isNull(nodes.revokedAt))
    const after = { status: 'revoked', revoked_at: revokedAt }
    await batch(this.db, [
      auditStatement(
        { ...decision, action: 'node.revoke', subject: nodeId, after },
        revokedAt,
        statusOf(found),
      ),
      this.db.update(nodes).set({ status: 'revoked', revokedAt, updatedAt: revokedAt }).where(found),
    ])
  }

  async list(
    filter: NodeFilter,
    after: Pick<Node, 'registeredAt' | 'nodeId'> | undefined,
    limit: number,
  ): Promise<Node[]> {
    const rows = await this.db
      .select()
      .from(nodes)
      .where(
        and(
          filter.role && eq(nodes.role, filter.role),
          filter.status && eq(nodes.status, filter.status),
          after && sql`(${nodes.registeredAt}, ${nodes.nodeId}) < (${after.registeredAt}, ${after.nodeId})`,
        ),
      )
      .orderBy(desc(nodes.registeredAt), desc(nodes.nodeId))
      .limit(limit)
    return rows.map(nodeOf)
  }
}

const statusOf = (found: SQL | undefined): SQL =>
  sql`SELECT json_object('status', ${nodes.status}) AS value FROM ${nodes} WHERE ${found}`
