/** The data of the measured hub: listed projects with a version each, and one project with everything that a record can show. */
import type { Miniflare } from 'miniflare'
import { manifestLike } from '../../localnet/sample/manifest.ts'
import { resolveProfile } from '../../protocol/identity/index.ts'

const projects = 60
const hex = (bytes: number, value: number): string => `0x${value.toString(16).padStart(2 * bytes, '0')}`

/** The project that is read. */
export const projectId = hex(32, projects)

export async function seed(miniflare: Miniflare): Promise<void> {
  const db = await miniflare.getD1Database('DB', 'hub')
  const token = JSON.stringify({ address: hex(20, 0xc0), symbol: 'HUB', name: 'Hub', decimals: 18 })
  const manifest = manifestLike(
    { slug: 'project', name: 'Project', tagline: 'Sends back its input.', description: 'A project to read.' },
    {
      profile: resolveProfile(),
      developer: hex(20, 7),
      worker: hex(32, 9),
      functions: ['echo'],
      token: hex(20, 0xc0),
      vault: hex(20, 0xa0),
    },
  )
  const [developer, vault] = [hex(20, 7), hex(20, 0xa0)]
  const { tagline, icon } = manifest.listing
  await db.batch(
    Array.from({ length: projects }, (_, index) => index + 1).flatMap((number) => {
      const [id, manifestHash, rulesHash] = [number, 1000 + number, 2000 + number].map((one) => hex(32, one))
      return [
        db
          .prepare(
            `INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, ordinal, developer_name,
              developer_verified, name, name_key, tagline, tags, icon, device_classes, class_mask, token, vault,
              reward_model, min_collateral, manifest_hash, consensus_hash, listed_at)
            VALUES ('${id}', '${developer}', 'project-${number}', 'compute', 'listed', 1, ${number}, 'Ada',
              1, 'Project ${number}', 'project ${number}', ?, '["sample","echo"]', ?, '["desktop","laptop","server"]', 14, ?,
              '${vault}', 'per-unit', '100000000000000000000', '${manifestHash}', '${rulesHash}', 2)`,
          )
          .bind(tagline, icon, token),
        db
          .prepare(
            `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature,
              token, tiers_changed, boundary_secs, epoch_secs, submitted_at)
            VALUES ('${id}', 1, 'active', '${manifestHash}', '${rulesHash}', ?, '${hex(65, 3)}',
              ?, '["consensus","scheduling","listing"]', 3600, 3600, 1)`,
          )
          .bind(JSON.stringify(manifest), token),
      ]
    }),
  )
  const project = { registered_tx: hex(32, 5), manifest_hash: hex(32, 1000 + projects) }
  const funds = { token: hex(20, 0xc0), developer, funded: '10000000000000000000000' }
  const state = 'INSERT INTO chain_states (kind, subject, state, block_number) VALUES (?, ?, ?, 1)'
  await db.batch([
    db.prepare(state).bind('project', projectId, JSON.stringify(project)),
    db.prepare(state).bind('vault', vault, JSON.stringify(funds)),
    ...[1, 2, 3].map((seq) =>
      db.prepare(
        `INSERT INTO project_epochs (project_id, seq, epoch, starts_at, epoch_secs, settled_at, rounds, rounds_finalized,
          rounds_fallback, units, miners, paid, slashes, total_rounds, total_finalized, total_fallback, total_units,
          total_paid, total_slashes)
        VALUES ('${projectId}', ${seq}, ${seq}, ${3600 * seq}, 3600, unixepoch() - ${200_000 - 60_000 * seq}, 60, 59,
          1, 500, 3, '1000', 0, ${60 * seq}, ${59 * seq}, ${seq}, ${500 * seq}, '3000', 0)`,
      ),
    ),
    // The answer that peers give is stored as it is, so that they read and send the same bytes.
    db.prepare('CREATE TABLE bench_answers (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID'),
  ])
}
