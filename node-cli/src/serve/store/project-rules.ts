import type { DatabaseSync } from 'node:sqlite'
import type { ProjectRules } from '../../../../protocol/manifest/index.ts'

export type ProjectRulesStore = Readonly<ReturnType<typeof projectRulesStore>>

/** The rules of projects. The rules of one project are not those of another, also where they have the same hash. */
export function projectRulesStore(db: DatabaseSync) {
  const select = db.prepare('SELECT rules FROM consensus WHERE project_id = ? AND consensus_hash = ?')
  const insert = db.prepare('INSERT INTO consensus VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  return {
    find: (projectId: string, consensusHash: string): ProjectRules | null => {
      const row = select.get(projectId, consensusHash) as { rules: string } | undefined
      return row === undefined ? null : (JSON.parse(row.rules) as ProjectRules)
    },
    /** Keeps rules that the developer of the project signed. */
    keep: (projectId: string, consensusHash: string, rules: ProjectRules) =>
      void insert.run(projectId, consensusHash, JSON.stringify(rules)),
  }
}
