import type { DatabaseSync } from 'node:sqlite'
import type { Consensus } from '../../../../protocol/manifest/index.ts'

/** The rules of projects under their consensus hash, which says that they are the right ones. */
export interface ConsensusStore {
  readonly find: (consensusHash: string) => Consensus | null
  /** Keeps rules whose hash was checked. */
  readonly keep: (consensusHash: string, rules: Consensus) => void
}

export function consensusStore(db: DatabaseSync): ConsensusStore {
  const select = db.prepare('SELECT rules FROM consensus WHERE consensus_hash = ?')
  const insert = db.prepare('INSERT INTO consensus VALUES (?, ?) ON CONFLICT DO NOTHING')
  return {
    find: (consensusHash) => {
      const row = select.get(consensusHash) as { rules: string } | undefined
      return row === undefined ? null : (JSON.parse(row.rules) as Consensus)
    },
    keep: (consensusHash, rules) => void insert.run(consensusHash, JSON.stringify(rules)),
  }
}
