import { env } from 'cloudflare:workers'
import { hashProjectRules, type ProjectRules } from '../../protocol/manifest/index.ts'
import { createListedProject } from './subscription.ts'
import { emptyTables } from './tables.ts'

/** Lets the hub have one project, listed, under the consensus that a known answer names. */
export async function knowProject(projectId: string, consensus: ProjectRules): Promise<void> {
  await emptyTables('projects', 'project_versions')
  await createListedProject()
  await env.DB.batch([
    env.DB.prepare('UPDATE projects SET project_id = ?').bind(projectId),
    env.DB.prepare(
      `UPDATE project_versions SET project_id = ?, status = 'active', consensus_hash = ?, epoch_secs = ?,
        manifest = json_set(manifest, '$.consensus', json(?))`,
    ).bind(projectId, hashProjectRules(consensus), consensus.work.epoch_secs, JSON.stringify(consensus)),
  ])
}
