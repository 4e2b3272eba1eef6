import { type SQL, sql } from 'drizzle-orm'
import { publicStatuses } from '../../protocol/manifest/index.ts'
import { Store } from './database.ts'
import {
  chainEvents,
  devices,
  epochReceipts,
  modules,
  projects,
  rounds,
  slashes,
  transactions,
} from './schema/index.ts'
import { isEpoch, isOneOf } from './statements.ts'

export const hitTypes = [
  ...(['project', 'module', 'round', 'receipt', 'epoch'] as const),
  ...(['account', 'device', 'slash', 'tx'] as const),
]

export interface Hit {
  type: (typeof hitTypes)[number]
  id: string
  label: string
}

/** Queries for hits, by type: each selects a label, or a JSON list of id and label. */
type Candidates = Partial<Record<Hit['type'], SQL>>

const { projectId, epoch, receiptHash } = epochReceipts
const roundHit = sql`json_array(${rounds.roundId}, ${rounds.function} || ' (' || ${rounds.state} || ')')`
const epochHit = sql`json_array(${projectId} || ':' || ${epoch}, 'Epoch ' || ${epoch})`

/** Finds things by their names. Projects that are not public are not found. */
export class SearchStore extends Store {
  /** Everything that has a hash as its name. */
  async byHash(hash: string): Promise<Hit[]> {
    return this.#found(hash, {
      project: sql`SELECT ${projects.name} FROM ${projects} WHERE ${projects.projectId} = ${hash}
        AND ${isOneOf(projects.listingStatus, publicStatuses)}`,
      module: sql`SELECT ${modules.name} FROM ${modules} WHERE ${modules.manifestAddress} = ${hash}`,
      round: sql`SELECT ${roundHit} FROM ${rounds} WHERE ${rounds.roundId} IN (${`task:${hash}`}, ${`exec:${hash}`})`,
      receipt: sql`SELECT coalesce(
        (SELECT ${rounds.function} FROM ${rounds} WHERE ${rounds.receiptHash} = ${hash} LIMIT 1),
        (SELECT 'Epoch ' || ${epoch} FROM ${epochReceipts} WHERE ${receiptHash} = ${hash} LIMIT 1))`,
      epoch: sql`SELECT ${epochHit} FROM ${epochReceipts} WHERE ${receiptHash} = ${hash}`,
      slash: sql`SELECT ${slashes.kind} FROM ${slashes} WHERE ${slashes.evidenceHash} = ${hash}`,
      tx: sql`SELECT coalesce(
        (SELECT ${transactions.action} FROM ${transactions} WHERE ${transactions.id} = ${hash}),
        (SELECT ${transactions.action} FROM ${transactions} WHERE ${transactions.txHash} = ${hash} LIMIT 1),
        (SELECT ${chainEvents.name} FROM ${chainEvents} WHERE ${chainEvents.txHash} = ${hash} LIMIT 1))`,
    })
  }

  async byRoundId(roundId: string): Promise<Hit[]> {
    const [, project = '', number] = roundId.split(':')
    const ofEpoch = sql`SELECT ${epochHit} FROM ${epochReceipts} WHERE ${isEpoch(epochReceipts, project, Number(number))}`
    return this.#found(roundId, {
      round: sql`SELECT ${roundHit} FROM ${rounds} WHERE ${rounds.roundId} = ${roundId}`,
      ...(number !== undefined && { epoch: ofEpoch }),
    })
  }

  async byNodeId(nodeId: string): Promise<Hit[]> {
    return this.#found(nodeId, {
      device: sql`SELECT coalesce(${devices.class}, 'device') FROM ${devices}
        WHERE ${devices.nodeId} = ${nodeId} AND ${devices.unboundAt} IS NULL`,
    })
  }

  async #found(name: string, candidates: Candidates): Promise<Hit[]> {
    const columns = Object.entries(candidates).map(
      ([type, query]) => sql`(${query} LIMIT 1) AS ${sql.identifier(type)}`,
    )
    const [row = {}] = await this.db.all<Record<string, string | null>>(
      sql`SELECT ${sql.join(columns, sql`, `)}`,
    )
    return Object.entries(row).flatMap(([type, found]) => {
      if (found === null) return []
      const [id, label] = type === 'round' || type === 'epoch' ? JSON.parse(found) : [name, found]
      return [{ type: type as Hit['type'], id, label }]
    })
  }
}
