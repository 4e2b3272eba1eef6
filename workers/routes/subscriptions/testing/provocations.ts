import type { CauseCode } from '../../../../protocol/causes.ts'
import { epochStart } from '../../../../protocol/committees/index.ts'
import { indexPosted, miner } from '../../../test/epochs.ts'
import { type Deed, right } from '../../../test/final-rounds.ts'
import type { ManifestChange } from '../../../test/project.ts'
import { minCollateral } from '../../../test/subscription.ts'
import { runSql, setListingStatus } from '../../../test/tables.ts'
import { evidenceExample } from '../../slashes/schema.ts'
import { createWorking, epochSecs, lastAt, pay, publish, validators, type World } from './working.ts'

/** A cause, the change that provokes it, and its message, as the owner reads it. */
type Provocation = readonly [
  code: CauseCode,
  provoke: (world: World) => Promise<unknown>,
  message: string | RegExp | (() => RegExp),
  options?: { of?: ManifestChange; also?: readonly CauseCode[]; hides?: RegExp; since?: number },
]

const slash = (world: World) =>
  runSql(
    `INSERT INTO slashes (evidence_hash, offence_id, kind, project_id, round_id, subscription_id, owner, node_id, bp, amount,
      evidence, status, created_at) VALUES (?, ?1, 'equivocation', ?, '', ?, ?, '', 1, '1', ?, 'recorded', 100)`,
    ...[world.subscriptionId, world.project.projectId, world.subscriptionId, world.owner.address],
    JSON.stringify(evidenceExample),
  )

const ofDevice: readonly Provocation[] = [
  ['not_bound', (w) => w.set('devices', 'unbound_at = 9'), /^The device is not bound/],
  [
    'banned',
    (w) => w.set('devices', "banned_at = 9, ban_reason = 'spam'"),
    'An operator banned the device: spam',
    { hides: /spam/, since: 9 },
  ],
  [
    'banned',
    (w) =>
      runSql(
        "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, 'miner', 'revoked', '', 1)",
        w.device.nodeId,
        w.device.publicKey,
      ),
    /revoked the node/,
  ],
  ['faulty', (w) => w.set('devices', 'vote_fault_at = 9'), /three of its votes/],
  ['faulty', (w) => w.set('devices', 'benchmark_fault_at = 9'), /its benchmark/],
  [
    'offline',
    (w) => w.set('devices', "link_state = 'offline', link_state_at = 9"),
    /not connected/,
    { since: 9 },
  ],
  [
    'offline',
    (w) => w.set('devices', "link_state = 'offline', link_state_at = NULL"),
    /never been connected/,
  ],
  ['no_free_slots', (w) => w.set('devices', "link_state = 'idle'"), /no free slots/],
  [
    'nodectl_outdated',
    (w) => w.set('devices', "nodectl_version = '0.9.0'"),
    /runs nodectl 0.9.0; the hub needs 1.0.0/,
  ],
  ['profile_missing', (w) => w.set('devices', 'profile_updated_at = NULL'), /has not reported its profile/],
  [
    'incompatible',
    (w) => w.set('devices', 'hardware = \'{"cpu_cores":8,"ram_mb":16,"storage_free_mb":10000}\''),
    /: ram_mb is 16, and the project asks for \d+\.$/,
    { hides: /ram_mb/ },
  ],
]

const ofSubscription: readonly Provocation[] = [
  [
    'not_bonded',
    (w) => runSql('DELETE FROM chain_states WHERE subject = ?', w.subscriptionId),
    /^No collateral is bonded; the project asks for \d+ [A-Z]+\.$/,
  ],
  [
    'below_min_collateral',
    (w) => w.bond({ collateral: '5' }),
    /The collateral is 0\.000000000000000005 [A-Z]+, and the project asks for \d+ [A-Z]+:/,
  ],
  ['collateral_low', (w) => w.bond({ collateral: String(minCollateral) }), /a slash would end the work/],
  [
    'jailed',
    (w) => w.bond({ collateral: '1', slash_lows: [{ at: 9, left: '1' }] }),
    /A slash left 0\.000000000000000001 [A-Z]+ of collateral/,
    { since: 9 },
  ],
  ['paused', (w) => w.set('subscriptions', 'paused_at = 9'), /The owner paused/, { since: 9 }],
  [
    'unbonding',
    (w) => w.bond({ status: 'unbonding', release_at: 4_000_000_000 }),
    /being unbonded, until 2096-10-02 07:06 UTC/,
  ],
  ['unbonded', (w) => w.bond({ status: 'unbonding', release_at: 9 }), /can be withdrawn/],
  ['closed', (w) => w.bond({ status: 'closed', closings: 1 }), /is closed/],
  ['slash_open', slash, '1 slash may still take collateral.'],
  ['reputation_low', (w) => w.set('subscriptions', 'reputation = 1500'), /is 15 % of the highest/],
]

const ofSet: readonly Provocation[] = [
  [
    'set_not_built',
    (w) => runSql('DELETE FROM committee_sets WHERE project_id = ?', w.project.projectId),
    /is not built yet/,
  ],
  [
    'set_not_attested',
    async (w) => {
      await w.set('committee_sets', 'attested_at = NULL')
      await runSql(
        "INSERT INTO committee_set_attestations VALUES (?, ?, ?, '0x', 1)",
        w.project.projectId,
        w.epoch,
        validators[0]?.publicKey,
      )
    },
    () => {
      const missing = validators.slice(1).map(({ nodeId }) => `(?=.*${nodeId})`)
      return new RegExp(`Missing: ${missing.join('')}`)
    },
  ],
  ['committee_too_small', (w) => w.set('committee_sets', 'entries = 2'), /2 devices in the set .* needs 3/],
  [
    'not_in_set_yet',
    (w) => w.bond({ started_at: epochStart(w.epoch, epochSecs) - 1 }),
    /can get work from \d{4}-\d\d-\d\d \d\d:00 UTC on\.$/,
  ],
  [
    'left_out_of_set',
    async (w) => {
      const other = await createWorking()
      const ofOther = 'set_hash = (SELECT set_hash FROM committee_sets WHERE project_id = ?)'
      await w.set('committee_sets', ofOther, other.project.projectId)
      await runSql('DELETE FROM leases WHERE subscription_id = ?', w.subscriptionId)
    },
    /^The set of epoch \d+ was built while/,
  ],
  [
    'not_drawn',
    (w) => runSql('DELETE FROM leases WHERE subscription_id = ?', w.subscriptionId),
    /^1 round of epoch \d+ drew others of the 5 devices/,
  ],
]

const ofProject: readonly Provocation[] = [
  ['project_paused', (w) => setListingStatus(w.project.projectId, 'paused'), /is paused/],
  ['project_delisted', (w) => setListingStatus(w.project.projectId, 'delisted'), /for good/],
  [
    'project_not_listed',
    (w) => setListingStatus(w.project.projectId, 'pending_review'),
    /is pending_review/,
    { hides: /pending_review/ },
  ],
  [
    'project_underfunded',
    (w) => setListingStatus(w.project.projectId, 'underfunded'),
    /could not pay an epoch/,
  ],
  [
    'project_without_tasks',
    (w) => w.set('epoch_rounds', 'ends_at = 7200, rounds = 0'),
    /no tasks since the epoch that began at 1970-01-01 01:00 UTC/,
  ],
]

const lease = (code: CauseCode, deed: Deed, message: RegExp, options = {}): Provocation => [
  code,
  (w) => publish(w, deed, w.epoch * epochSecs + 2),
  message,
  { also: ['reputation_low'], ...options },
]

const ofWork: readonly Provocation[] = [
  lease('leases_offline', 'offline', /it was offline for 1\.$/),
  lease('leases_declined', 'declined', /it declined 1\.$/),
  lease('leases_unanswered', 'not_accepted', /gave no answer to 1\.$/),
  lease('leases_late', 'late', /it was too late with 1\.$/),
  lease(
    'votes_invalid',
    'invalid_vote',
    /no valid vote for 1\. The last one failed a check: it is of another round\.$/,
    { hides: /another round/ },
  ),
  lease('votes_disagreed', ['wrong'], /voted for another result in 1\.$/),
]

const earned = (code: CauseCode, column: string, message: RegExp, options = {}): Provocation => [
  code,
  async (w) => {
    await pay(w, 5)
    await runSql(`UPDATE epoch_receipts SET ${column} WHERE project_id = ?`, w.project.projectId)
  },
  message,
  options,
]

const ofEarnings: readonly Provocation[] = [
  ['payout_elsewhere', (w) => w.bond({ payout: miner(7) }), new RegExp(`go to ${miner(7)}`)],
  [
    'epoch_not_attested',
    (w) => runSql('UPDATE epoch_credits SET epoch = 5, ends_at = 21600 WHERE miner = ?', w.owner.address),
    /has attested epoch 5 yet/,
  ],
  earned('epoch_not_posted', "settlement = 'failed', error = 'No gas.'", /: No gas\.$/, { hides: /No gas/ }),
  earned(
    'epoch_underfunded',
    "state = 'underfunded'",
    /pay epoch \d+, in which the payout address earned 0\.\d+ [A-Z]+\.$/,
  ),
  earned('epoch_underfunded', "state = 'underfunded', error = 'Too little.'", /: Too little\.$/, {
    hides: /Too little/,
  }),
  earned('epoch_vetoed', "state = 'vetoed'", /was vetoed/),
  ['payouts_unclaimed', async (w) => indexPosted(await pay(w, 5), 9), /^1 payout of the payout address/],
  [
    'below_recipients_cap',
    async (w) => {
      await publish(w, right, lastAt(w))
      await pay(w, 0, 9)
      // The terms of the epoch, not those of today.
      await w.set('epoch_rounds', "terms = json_set(terms, '$.max_recipients_per_epoch', 1)")
    },
    /pays 1 addresses, and others had more units/,
  ],
  [
    'rounded_to_zero',
    (w) => pay(w, 1),
    /1 unit in epoch \d+ came to less/,
    { of: { economics: { reward_per_unit: '1' } } },
  ],
  [
    'rounded_to_zero',
    async (w) => {
      await publish(w, right, lastAt(w))
      await pay(w, 0, 5)
    },
    /rounded down to zero by the cap of units/,
    { of: { economics: { max_units_per_epoch: 5 } } },
  ],
]

export const provocations = [...ofDevice, ...ofSubscription, ...ofSet, ...ofProject, ...ofWork, ...ofEarnings]
