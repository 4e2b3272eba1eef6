import { env } from 'cloudflare:workers'
import { SnapshotWriter } from '../../../protocol/committees/index.ts'
import { readSettings } from '../../env.ts'
import { png } from '../../images/testing/images.ts'
import { inputAddress } from '../../rounds/input-address.ts'
import { services } from '../../services.ts'
import { NetworkFiguresStore } from '../../stores/network-figures.ts'
import { createMembers, type Member } from '../../test/attested-set.ts'
import { createMiner, createNode, networkNow } from '../../test/callers.ts'
import { bodyOf } from '../../test/client.ts'
import { publishRound, right } from '../../test/final-rounds.ts'
import { uploadModule } from '../../test/project.ts'
import { createListedProject } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'
import { setValidators } from '../../test/validators.ts'
import { snapshotExample } from '../committees/schema.ts'
import { evidenceExample } from '../slashes/schema.ts'

/** Things of each kind that are there to be read; of a wallet's own things as many are another's. */
export const things = 45

export const hex = (index: number, bytes: number) => `0x${index.toString(16).padStart(2 * bytes, '0')}`
export const other = hex(0x0e, 20)

/** Runs an insertion for every number from 1 to {@link things}, which is `i` in it. */
const fill = (insertion: string, select: string, ...values: unknown[]) =>
  env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${things}) ${insertion} SELECT ${select} FROM n`,
  ).bind(...values)

const key = (first: string) => `printf('0x${first}%062x', i)`
const wallet = "printf('0x%040x', i)"

/**
 * Stores everything that routes read, for a wallet with a device and a project. @returns The callers, and the parameters of the
 * paths.
 */
export async function fillNetwork() {
  const miner = await createMiner()
  const { address, client: caller } = miner.owner
  const project = await createListedProject({}, miner.owner)
  await caller.post('/v1/developers/me/enrollment', {
    developer_type: 'individual',
    display_name: 'Ada',
    agreements_accepted: true,
  })
  await env.DB.batch(rowsOf(address, project))
  const validator = createNode()
  const { committeeSets } = services(env)
  const set = {
    projectId: project,
    epoch: 1,
    epochSecs: 3_600,
    committee: { size: 1, min_size: 1, backups: 0 },
  }
  const writer = new SnapshotWriter({ ...snapshotExample, entries: [], excluded: [] })
  for (const entry of snapshotExample.entries) writer.add({ entry })
  await committeeSets.insert({ ...set, builtAt: 1 }, writer.finish())
  await runSql('UPDATE committee_sets SET attested_at = 1')
  // As many generations as of anything else, of which the last has as many validators.
  for (let i = 1; i < things; i++) await setValidators([validator])
  await setValidators([validator, ...Array.from({ length: things - 1 }, () => createNode())])
  const { sha256 } = await bodyOf(
    caller.post('/v1/developers/assets', {
      content_type: 'image/png',
      data_b64: Buffer.from(png()).toString('base64'),
    }),
  )
  const device = await services(env).devices.find(miner.device.nodeId)
  const params: Record<string, string> = {
    sha256,
    address,
    id: hex(1, 32),
    draft_id: 'draft1',
    webhook_id: `0${'1'.padStart(15, '0')}`,
    collection_id: 'collection1',
    simulation_id: 'simulation1',
    project_id: project,
    version: '1',
    epoch_secs: '3600',
    epoch: '1',
    seq: '1',
    node_id: miner.device.nodeId,
    binding_hash: device?.bindingHash ?? '',
    subscription_id: `0xa0${'0'.repeat(61)}1`,
    evidence_hash: `0xa0${'0'.repeat(61)}1`,
    module: (await uploadModule({ client: caller })).address,
    task_id: 'a'.repeat(24),
    ticket: await ticketOfInput(),
  }
  Object.assign(params, await fillRounds(miner.owner))
  await env.ROUNDS.put(`archive/${project}/1.jsonl.gz`, 'archive')
  await insertTask(project)
  // From the second reading on, bytes come from the cache.
  for (const path of [`/v1/assets/${params.sha256}`, `/v1/modules/${params.module}/hbc`])
    await (await caller.get(path)).arrayBuffer()
  return { miner, project, validator, params }
}

/** Rows of every table that lists are made of, for a wallet, another one, and the project. */
function rowsOf(address: string, project: string): D1PreparedStatement[] {
  const projects = (id: string, from: number, status: string) =>
    fill(
      `INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, ordinal, name, name_key,
          icon, token, reward_model, class_mask)`,
      `${key(id)}, ?, 'slug-' || ? || i, 'storage', ?, i, ? + i, 'Name', 'name', 'https://assets.example.com/icon.png',
          '{"address":"0x${'c0'.repeat(20)}","symbol":"HUB","name":"Hub","decimals":18}', 'per-unit', 1`,
      ...[address, id, status, from],
    )
  const own = (table: string, columns: string, values: string) =>
    [address, other].map((owner, index) =>
      fill(`INSERT INTO ${table} (${columns})`, values.replaceAll('{id}', key(`a${index}`)), owner),
    )
  return [
    env.DB.prepare("UPDATE developers SET enrollment = 'active' WHERE address = ?").bind(address),
    projects('b1', 1_000, 'listed'),
    projects('b2', 2_000, 'pending_review'),
    ...own('devices', 'node_id, public_key, owner, binding_hash, bound_at', '{id}, {id}, ?, {id}, i'),
    ...own(
      'drafts',
      'draft_id, owner, current_step, data, revision, created_at, updated_at',
      "'draft' || i, ?, 0, '{}', 1, i, i",
    ),
    ...own(
      'api_keys',
      'key_id, owner, name, secret_hash, scopes, created_at',
      "substr({id}, 4, 1) || printf('%07d', i), ?, 'key', '', '[]', i",
    ),
    ...own(
      'subscriptions',
      `subscription_id, owner, project_id, node_id, node_key, closings, reputation, credited_rounds, missed_leases,
          disagreements, created_at`,
      `{id}, ?, '${project}', {id}, {id}, 0, 5000, 0, 0, 0, i`,
    ),
    ...own(
      'chain_states',
      'kind, subject, owner, state, block_number',
      `'subscription', {id}, ?, '{"status":"bonded","collateral":"9","payout":"${other}","started_at":1,"release_at":null}', 1`,
    ),
    ...own(
      'slashes',
      `evidence_hash, owner, offence_id, kind, project_id, round_id, subscription_id, node_id, bp, amount, evidence, status,
          created_at`,
      `{id}, ?, {id}, 'equivocation', '${project}', '', {id}, '', 1, '1', '${JSON.stringify(evidenceExample)}', 'recorded', i`,
    ),
    ...own(
      'withdrawals',
      `withdrawal_id, account, kind, amount, token, requested_at, project_id, vault, epochs, unpaid, state, relay_id`,
      `{id}, ?, 'claim', '1', '{"address":"0x${'c0'.repeat(20)}","symbol":"HUB","name":"Hub","decimals":18}', i, '${project}', '${other}', '[1]', 1, 'open', {id}`,
    ),
    ...[address, hex(0xffff, 20)].map((owner) =>
      fill(
        'INSERT INTO epoch_shares (miner, project_id, epoch, units, amount, leaf, ends_at)',
        `?, '${project}', i, 1, '1', 0, unixepoch() - i`,
        owner,
      ),
    ),
    ...own('notifications', 'owner, at, body', `?, i, '{"type":"device.offline","created_at":1}'`),
    ...['a0', 'a1'].map((first) =>
      fill(
        'INSERT INTO chain_states (kind, subject, state, block_number)',
        `'slash', ${key(first)}, json_object('subscription_id', ${key('c3')}, 'status', 'proposed', 'executable_at', 5), 1`,
      ),
    ),
    // Of other subscriptions; reading those would read all slashes.
    fill(
      'INSERT INTO chain_states (kind, subject, state, block_number)',
      `'slash', ${key('c1')}, json_object('subscription_id', ${key('c2')}, 'status', 'proposed'), 1`,
    ),
    fill(
      `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature, token,
          tiers_changed, boundary_secs, epoch_secs, submitted_at)`,
      `'${project}', 2, 'rejected', ${key('d1')}, ${key('d2')}, '{}', '0x', '{}', '["listing"]', 3600, 3600, i`,
    ),
    fill(
      'INSERT INTO project_miners (project_id, miner, rounds, units, earned, first_credited_at, last_credited_at)',
      `'${project}', ${wallet}, 1, i, '1', 1, 1`,
    ),
    fill(
      `INSERT INTO earning_days (miner, day, project_id, token, units, part_0, part_1, part_2, part_3, part_4, part_5)`,
      `${wallet}, 20000, '${project}', '{"address":"0x"}', i, 0, 0, 0, 0, 0, i`,
    ),
    ...own(
      'device_groups',
      'group_id, owner, name, created_at, updated_at',
      "printf('%012d', i), ?, 'Group', i, i",
    ),
    ...own(
      'webhooks',
      'webhook_id, owner, url, types, state, secrets, created_at, from_row',
      `substr({id}, 4, 1) || printf('%015d', i), ?, 'https://receiver.example.com/', '["device.bound"]', 'disabled', '[]', i, 1`,
    ),
    ...['0', '1'].map((first) =>
      fill(
        'INSERT INTO webhook_deliveries (webhook_id, number, created_at, state, body, attempts_left, due_at)',
        `'${first}' || printf('%015d', 1), i, 1, 'failed', '{}', 0, 9e9`,
      ),
    ),
    env.DB.prepare("UPDATE devices SET group_id = printf('%012d', bound_at) WHERE bound_at <= 45"),
    fill(
      `INSERT INTO epoch_receipts (project_id, epoch, epoch_secs, starts_at, vault, consensus_hash, receipt_hash,
          merkle_root, token, totals, recipients, leaves, attestations, accepted_at, state, settlement)`,
      `'${project}', i, 3600, 3600 * i, '${other}', ${key('d2')}, ${key('d3')}, ${key('d4')},
          '{"address":"0x${'c0'.repeat(20)}","symbol":"HUB","name":"Hub","decimals":18}',
          '{"units":1,"gross":"3","miner":"1","developer":"1","treasury":"1"}', 1, 1, 3, 1, 'attested', 'queued'`,
    ),
    fill(
      `INSERT INTO project_epochs (project_id, seq, epoch, starts_at, epoch_secs, settled_at, rounds, rounds_finalized,
          rounds_fallback, units, miners, paid, slashes, total_rounds, total_finalized, total_fallback, total_units,
          total_paid, total_slashes)`,
      `'${project}', i, i, 3600 * i, 3600, unixepoch() - 86400 - ${things} + 2 * i, 1, 1, 0, 1, 1, '1', 0, i, i, 0, i, '1', 0`,
    ),
    fill(
      'INSERT INTO epoch_shares (miner, project_id, epoch, units, amount, leaf)',
      `${wallet}, '${project}', i, 1, '1', 0`,
    ),
    fill(
      'INSERT INTO archives (project_id, epoch, rounds, bytes, sha256, last_issued_at, archived_at)',
      `'${project}', i, 1, 7, 'hash', 3600 * i, 1`,
    ),
    fill(
      'INSERT INTO reviews (review_id, project_id, author, rating, comment, helpful, created_at, updated_at)',
      `printf('%016d', i), '${project}', ${wallet}, 5, '', 0, i, i`,
    ),
    fill(
      'INSERT INTO preferences (address, preferences, updated_at)',
      `${wallet}, '{"display_name":"Miner"}', 1`,
    ),
    fill(
      `INSERT INTO modules (manifest_address, sha256, name, language, functions, manifest, hbc_size, stateless, uploader,
          deployed_at)`,
      `${key('e1')}, '', 'module', 'wat', '[]', '{}', 1, 1, '${other}', i`,
    ),
    fill(
      'INSERT INTO nodes (node_id, public_key, role, status, url, registered_at)',
      `${key('f1')}, ${key('f1')}, 'validator', 'approved', 'https://validator.example', i`,
    ),
    fill(
      'INSERT INTO audit_log (operator, action, subject, before, after, created_at)',
      `'${other}', 'node.approve', 'node', '{}', '{}', i`,
    ),
    fill(
      'INSERT INTO announcements (announcement_id, project_id, title, content, type, author, created_at)',
      `printf('%016d', i), '${project}', 'Title', 'Content', 'update', '${other}', i`,
    ),
    fill(
      `INSERT INTO simulations (simulation_id, project_id, status, results, logs, started_at, claimed_until, attempts)`,
      `'simulation' || i, '${project}', 'passed', '[]', '[]', i, 1, 1`,
    ),
    fill(
      'INSERT INTO project_reports (report_id, project_id, reporter, category, severity, reason, created_at)',
      `printf('%016d', i), '${project}', '${other}', 'spam', 'low', 'Reason', i`,
    ),
    fill(
      'INSERT INTO collections (id, kind, title, project_ids, updated_at)',
      "'collection' || i, 'editors_picks', 'Title', '[]', i",
    ),
    fill(
      'INSERT INTO dead_letters (message_id, queue, body, attempts, died_at)',
      "'message' || i, 'actions', '{}', 3, i",
    ),
    fill(
      `INSERT INTO epoch_rounds (project_id, epoch, ends_at, terms, rounds, finalized, fallback, units, primaries, answered)`,
      `'${project}', 1000 + i, unixepoch() + i, '{}', 1, 1, 0, 1, 1, 1`,
    ),
    fill('INSERT INTO beacons (epoch_secs, epoch, block_number, block_hash)', `3600, i, i, ${key('ba')}`),
    env.DB.prepare(
      "INSERT INTO transactions (id, action, owner, status, created_at, updated_at) VALUES (?, 'bond', ?, 'sent', 1, 1)",
    ).bind(hex(1, 32), address),
  ]
}

/** Rounds in which the wallet votes with one device, beside another wallet; the newest of them is in the paths. */
async function fillRounds(owner: Member['owner']): Promise<Record<string, string>> {
  const paths: Record<string, string> = {}
  const members = await createMembers(2)
  const [own, ...others] = members.map((member, i) => (i === 0 ? { ...member, owner } : member))
  const now = await networkNow()
  const sinceHour = now % 3_600
  // All of one epoch, also when an hour has just begun.
  const last = sinceHour < things ? now - sinceHour - 1 : now
  for (let i = 1; i <= things; i++) {
    const { round, leases } = await publishRound({
      members: [own as Member, ...others],
      deeds: [right, right],
      validators: [],
      issuedAt: last - things + i,
    })
    Object.assign(paths, {
      round_id: encodeURIComponent(round.roundId),
      receipt_hash: round.receiptHash ?? '',
      proof_id: leases[0]?.proofId ?? '',
      rounds_project: round.projectId ?? '',
    })
  }
  await runSql('UPDATE projects SET developer = ? WHERE project_id = ?', owner.address, paths.rounds_project)
  await services(env).store(NetworkFiguresStore).refresh(now)
  return paths
}

/** A task with its round. */
async function insertTask(projectId: string): Promise<void> {
  const roundId = `task:${hex(9, 32)}`
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO tasks (task_id, project_id, round_id, function, gas_limit, input_hash, created_at) VALUES (?, ?, ?, 'f', 1, ?, 1)",
    ).bind('a'.repeat(24), projectId, roundId, hex(1, 32)),
    env.DB.prepare(
      `INSERT INTO rounds (round_id, kind, state, project_id, module_address, function, input_hash, gas_limit, issued_at,
        committee_size, votes, agreeing, audited) VALUES (?, 'task', 'finalized', ?, ?2, 'f', ?2, 1, 1, 3, 0, 0, 0)`,
    ).bind(roundId, projectId),
  ])
}

/** The ticket of an input that is kept. */
async function ticketOfInput(): Promise<string> {
  await services(env).roundFiles.putPayload(hex(1, 32), 'input')
  const address = inputAddress(readSettings(env), hex(1, 32), Math.floor(Date.now() / 1000) + 3_600)
  return new URL(address).pathname.split('/').at(-1) ?? ''
}
