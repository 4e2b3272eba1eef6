import { readDuration } from '../options/duration.ts'
import { exampleNode, otherExampleNode } from '../options/node.ts'
import type { Command, OperatorCall, OperatorPath, Options } from './command.ts'

const get = (path: OperatorPath, query: Record<string, string | undefined> = {}): OperatorCall => ({
  method: 'get',
  path,
  params: { query },
})
/** Members of a body that are undefined are not sent. */
const decide = (
  path: OperatorPath,
  subject: Record<string, string>,
  { reason }: Options,
  body: Record<string, unknown> = {},
): OperatorCall => ({
  method: 'post',
  path,
  params: { path: subject },
  body: { ...body, reason },
})
const faucet = (
  enabled: boolean,
  { amount, 'eth-amount': native, cooldown, reason }: Options,
): OperatorCall => ({
  method: 'put',
  path: '/admin/v1/faucet',
  body: { enabled, amount, eth_amount: native, cooldown_secs: cooldown && readDuration(cooldown), reason },
})

const reviews = ['approve', 'reject', 'pause', 'resume', 'delist'] as const
const verdicts = ['approve', 'reject'] as const

const rebuildNote = `Only for a database that has neither rounds nor counters, or that was restored as a whole to an earlier
moment: a round that the database does not have is added to the counters of its epoch, its members,
its module and the network. If only rows were lost, these counters would count it twice.

Projects, versions and subscriptions have to be there first. Rounds that are there stay as they are, so the
command can be interrupted and repeated. "skipped" are records of an earlier form, and those of a version
that the database does not have.`

export const commands: readonly Command[] = [
  {
    words: ['watch'],
    does: 'the health of the hub, again every five seconds',
    note: 'If the output is not a terminal, it prints only changes. It needs no key.',
    isWatched: true,
    call: () => get('/v1/status'),
  },
  {
    words: ['review-queue'],
    does: 'projects that wait for a review',
    options: ['cursor'],
    call: (_, { cursor }) => get('/admin/v1/review-queue', { cursor }),
  },
  {
    words: ['reports'],
    does: 'reports about projects, newest first',
    example: '--project 0x…',
    options: ['project', 'cursor'],
    call: (_, { project, cursor }) => get('/admin/v1/reports', { project_id: project, cursor }),
  },
  {
    words: ['collection', 'put', '<collection_id>'],
    does: 'create or replace a collection of projects',
    example: '--title "Good first projects" --kind editors_picks --member 0x…',
    options: ['title', 'kind', 'description', 'member'],
    call: ([collection_id = ''], { title, kind, description, member = [] }) => ({
      method: 'put',
      path: '/admin/v1/collections/{collection_id}',
      params: { path: { collection_id } },
      body: { title, kind, description, project_ids: member },
    }),
  },
  {
    words: ['collection', 'delete', '<collection_id>'],
    does: 'delete a collection of projects',
    call: ([collection_id = '']) => ({
      method: 'delete',
      path: '/admin/v1/collections/{collection_id}',
      params: { path: { collection_id } },
    }),
  },
  ...reviews.map((action) => ({
    words: ['project', action, '<project_id>'],
    does: `${action} a project`,
    example:
      action === 'approve' ? '--condition "Publishes its data."' : '--reason "It hides what it computes."',
    options: ['reason', 'condition'] as const,
    call: ([project_id = '']: readonly string[], options: Options) =>
      decide('/admin/v1/projects/{project_id}/review', { project_id }, options, {
        action,
        conditions: options.condition,
      }),
  })),
  ...(['enrollment', 'verification'] as const).flatMap((what) =>
    verdicts.map((action) => ({
      words: [what, action, '<address>'],
      does: `${action} a developer's ${what}`,
      example: '--notes "Asked by mail."',
      options: ['notes'] as const,
      call: ([address = '']: readonly string[], { notes }: Options) => {
        const granted = what === 'enrollment' ? 'active' : 'verified'
        const status = action === 'approve' ? granted : 'rejected'
        return decide(`/admin/v1/developers/{address}/${what}`, { address }, {}, { status, notes })
      },
    })),
  ),
  {
    words: ['nodes'],
    does: 'registered nodes, newest first',
    example: '--role validator --status pending',
    options: ['status', 'role', 'cursor'],
    call: (_, { status, role, cursor }) => get('/admin/v1/nodes', { status, role, cursor }),
  },
  {
    words: ['node', 'approve', '<node_id>'],
    does: 'approve a node; a validator joins the next generation',
    example: '--reason "Known since the first network."',
    options: ['reason'],
    call: ([node_id = ''], options) => decide('/admin/v1/nodes/{node_id}/approve', { node_id }, options),
  },
  {
    words: ['node', 'revoke', '<node_id>'],
    does: 'revoke a node; a validator leaves the next generation, or loses its key at once',
    example: '--reason "Signed two results for one task."',
    options: ['at-once', 'reason'],
    call: ([node_id = ''], options) =>
      decide('/admin/v1/nodes/{node_id}/revoke', { node_id }, options, { at_once: options['at-once'] }),
  },
  { words: ['validators', 'list'], does: 'the validators in force', call: () => get('/v1/validators') },
  {
    words: ['validators', 'genesis'],
    does: 'set generation 0 from registered validators, once',
    example: `--node ${exampleNode} --node ${otherExampleNode}`,
    options: ['node', 'reason'],
    call: (_, options) =>
      decide('/admin/v1/validators/genesis', {}, options, { node_ids: options.node ?? [] }),
  },
  {
    words: ['validators', 'generations', 'list'],
    does: 'the generations of validators, newest first',
    options: ['cursor'],
    call: (_, { cursor }) => get('/v1/validators/generations', { cursor }),
  },
  {
    words: ['validators', 'generations', 'pending'],
    does: 'the generation that waits for signatures, and the missing signers',
    call: () => get('/admin/v1/validators/pending'),
  },
  {
    words: ['validators', 'generations', 'make'],
    does: 'make the next generation, which a quorum of the previous one must sign',
    example: `--approve ${exampleNode} --revoke ${otherExampleNode}`,
    options: ['approve', 'revoke', 'emergency', 'reason'],
    call: (_, options) =>
      decide('/admin/v1/validators/generations', {}, options, {
        approve: options.approve ?? [],
        revoke: options.revoke ?? [],
        emergency: options.emergency,
      }),
  },
  ...(['ban', 'readmit'] as const).map((action) => ({
    words: ['device', action, '<node_id>'],
    does: action === 'ban' ? 'ban a device' : 'readmit a banned device',
    example:
      action === 'ban' ? '--reason "Sends votes that nobody asked for."' : '--reason "It was repaired."',
    options: ['reason'] as const,
    call: ([node_id = '']: readonly string[], options: Options) =>
      decide('/admin/v1/devices/{node_id}/ban', { node_id }, options, { banned: action === 'ban' }),
  })),
  {
    words: ['slashes'],
    does: 'slashes, newest first',
    example: '--status disputed',
    options: ['status', 'project', 'cursor'],
    call: (_, { status, project, cursor }) =>
      get('/v1/explorer/slashes', { status, project_id: project, cursor }),
  },
  ...(['cancel', 'uphold'] as const).map((decision) => ({
    words: ['slash', 'resolve', '<evidence_hash>', decision],
    does: decision === 'cancel' ? 'cancel an open slash' : 'reject the dispute of a slash',
    example:
      decision === 'cancel'
        ? '--notes "The key was copied; see the report."'
        : '--notes "Both votes are of the owner\'s own key."',
    options: ['notes'] as const,
    call: ([evidence_hash = '']: readonly string[], { notes }: Options) =>
      decide('/admin/v1/slashes/{evidence_hash}/resolve', { evidence_hash }, {}, { decision, notes }),
  })),
  {
    words: ['epochs'],
    does: 'epochs with a receipt, newest first',
    example: '--status settled',
    options: ['status', 'project', 'cursor'],
    call: (_, { status, project, cursor }) =>
      get('/v1/explorer/epochs', { status, project_id: project, cursor }),
  },
  ...(['veto', 'reopen'] as const).map((action) => ({
    words: ['epoch', action, '<project_id>', '<epoch>'],
    does:
      action === 'veto'
        ? 'veto a posted epoch within its challenge period'
        : 'reopen a vetoed epoch for posting',
    example:
      action === 'veto'
        ? '--reason "Its root is not the attested one."'
        : '--reason "The attested root was right."',
    options: ['reason'] as const,
    call: ([project_id = '', epoch = '']: readonly string[], options: Options) =>
      decide(`/admin/v1/epochs/{project_id}/{epoch}/${action}`, { project_id, epoch }, options),
  })),
  ...(['pause', 'unpause'] as const).map((action) => ({
    words: ['settlement', action],
    does: action === 'pause' ? 'pause the posting of epochs in all vaults' : 'resume the posting of epochs',
    example: action === 'pause' ? '--reason "Validators disagree."' : '--reason "Validators agree again."',
    options: ['reason'] as const,
    call: (_: readonly string[], options: Options) => decide(`/admin/v1/settlement/${action}`, {}, options),
  })),
  {
    words: ['faucet', 'open'],
    does: 'open the faucet, with the given amounts and cooldown, or those in force',
    example: '--amount 500000000000000000000',
    options: ['amount', 'eth-amount', 'cooldown', 'reason'],
    call: (_, options) => faucet(true, options),
  },
  {
    words: ['faucet', 'close'],
    does: 'close the faucet',
    options: ['reason'],
    call: (_, options) => faucet(false, options),
  },
  {
    words: ['dead-letters', 'list'],
    does: 'unresolved dead letters (messages that failed), newest first',
    options: ['cursor'],
    call: (_, { cursor }) => get('/admin/v1/dead-letters', { cursor }),
  },
  ...(['resend', 'close'] as const).map((action) => ({
    words: ['dead-letters', action, '<message_id>'],
    does: action === 'resend' ? 'resend a dead letter' : 'close a dead letter',
    example: action === 'resend' ? '--reason "The chain is back."' : '--reason "Nobody can read it."',
    options: ['reason'] as const,
    call: ([message_id = '']: readonly string[], options: Options) =>
      decide(`/admin/v1/dead-letters/{message_id}/${action}`, { message_id }, options),
  })),
  { words: ['relayer'], does: 'the relayer, and the dead letters', call: () => get('/admin/v1/relayer') },
  {
    words: ['metrics'],
    does: 'the figures of the hub, as Prometheus reads them',
    isText: true,
    call: () => get('/admin/v1/metrics'),
  },
  {
    words: ['metrics-key', '<name>'],
    does: 'make an API key with which Prometheus reads GET /admin/v1/metrics',
    note: 'The secret is shown once. DELETE /v1/developers/api-keys/{key_id} revokes the key.',
    call: ([name = '']) => ({
      method: 'post',
      path: '/v1/developers/api-keys',
      body: { name, scopes: ['analytics:read'] },
    }),
  },
  {
    words: ['reindex'],
    does: 'delete the chain index and read the chain again from its start',
    example: '--reason "Other contracts."',
    options: ['reason'],
    call: (_, options) => decide('/admin/v1/reindex', {}, options),
  },
  {
    words: ['rebuild-rounds'],
    does: 'write rounds to the database again, from their records in the bucket',
    note: rebuildNote,
    example: '--reason "The database was restored to Monday."',
    options: ['reason'],
    isPaged: true,
    call: (_, options) => decide('/admin/v1/rounds/rebuild', {}, options),
  },
  {
    words: ['audit-log'],
    does: 'the audit log of operators, newest first',
    example: `--subject ${exampleNode}`,
    options: ['subject', 'cursor'],
    call: (_, { subject, cursor }) => get('/admin/v1/audit-log', { subject, cursor }),
  },
]
