/** What the measured hub holds: listed projects, each with its version, and one with everything a record can show. */
import type { Miniflare } from 'miniflare'
import { manifestLike } from '../../localnet/sample/manifest.ts'
import { resolveProfile } from '../../protocol/identity/index.ts'

const projects = 60
const hex = (bytes: number, value: number): string => `0x${value.toString(16).padStart(2 * bytes, '0')}`

/** The project that is read. */
export const projectId = hex(32, projects)

/** The answer that peers give is stored as it is, so that they read and send the same bytes. */
export const answersTable =
  'CREATE TABLE bench_answers (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID'

export async function seed(miniflare: Miniflare): Promise<void> {
  const db = await miniflare.getD1Database('DB', 'hub')
  const token = JSON.stringify({ address: hex(20, 0xc0), symbol: 'HUB', name: 'Hub', decimals: 18 })
  const manifest = manifestLike(
    {
      slug: 'project',
      name: 'Project',
      tagline: 'Sends back what it is given.',
      description: 'A project to read.',
    },
    {
      profile: resolveProfile(),
      developer: hex(20, 7),
      worker: hex(32, 9),
      functions: ['echo'],
      token: hex(20, 0xc0),
      vault: hex(20, 0xa0),
    },
  )
  await db.batch(
    Array.from({ length: projects }, (_, index) => index + 1).flatMap((number) => [
      db
        .prepare(
          `INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, ordinal, developer_name,
            developer_verified, name, name_key, tagline, tags, icon, device_classes, class_mask, token, vault,
            reward_model, min_collateral, manifest_hash, consensus_hash, listed_at)
          VALUES (?, ?, ?, 'compute', 'listed', 1, ?, 'Ada', 1, ?, ?, ?, '["sample","echo"]', ?,
            '["desktop","laptop","server"]', 14, ?, ?, 'per-unit', '100000000000000000000', ?, ?, 2)`,
        )
        .bind(
          hex(32, number),
          hex(20, 7),
          `project-${number}`,
          number,
          `Project ${number}`,
          `project ${number}`,
          manifest.listing.tagline,
          manifest.listing.icon,
          token,
          hex(20, 0xa0),
          hex(32, 1000 + number),
          hex(32, 2000 + number),
        ),
      db
        .prepare(
          `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature,
            token, tiers_changed, boundary_secs, epoch_secs, submitted_at)
          VALUES (?, 1, 'active', ?, ?, ?, ?, ?, '["consensus","scheduling","listing"]', 3600, 3600, 1)`,
        )
        .bind(
          hex(32, number),
          hex(32, 1000 + number),
          hex(32, 2000 + number),
          JSON.stringify(manifest),
          hex(65, 3),
          token,
        ),
    ]),
  )
  const state = { registered_tx: hex(32, 5), manifest_hash: hex(32, 1000 + projects) }
  const vault = { token: hex(20, 0xc0), developer: hex(20, 7), funded: '10000000000000000000000' }
  const epoch = `INSERT INTO project_epochs (project_id, seq, epoch, starts_at, epoch_secs, settled_at, rounds,
      rounds_finalized, rounds_fallback, units, miners, paid, slashes, total_rounds, total_finalized, total_fallback,
      total_units, total_paid, total_slashes)
    VALUES (?, ?, ?, ?, 3600, unixepoch() - ?, 60, 59, 1, 500, 3, '1000', 0, ?, ?, ?, ?, ?, 0)`
  const state2 = 'INSERT INTO chain_states (kind, subject, state, block_number) VALUES (?, ?, ?, 1)'
  await db.batch([
    db.prepare(state2).bind('project', projectId, JSON.stringify(state)),
    db.prepare(state2).bind('vault', hex(20, 0xa0), JSON.stringify(vault)),
    ...[1, 2, 3].map((seq) =>
      db
        .prepare(epoch)
        .bind(
          projectId,
          seq,
          seq,
          3600 * seq,
          200_000 - 60_000 * seq,
          60 * seq,
          59 * seq,
          seq,
          500 * seq,
          '3000',
        ),
    ),
    db.prepare(answersTable),
  ])
}
