import { readArguments } from '../../scripts/command/arguments.ts'
import { UsageError } from '../../scripts/command/errors.ts'
import type { paths } from '../../sdk/api.generated.ts'
import { readAmount } from '../amounts.ts'
import { hubHelp, readHub } from '../options/hub.ts'

/** The operator API, and the public lists of what operators decide about. */
type OperatorPath =
  | Extract<keyof paths, `/admin/${string}` | '/v1/validators' | '/v1/validators/generations'>
  | '/v1/explorer/slashes'
  | '/v1/explorer/epochs'

/** One call of the hub, as the typed client takes it. */
export interface OperatorCall {
  readonly method: 'get' | 'post' | 'put'
  readonly path: OperatorPath
  readonly params?: {
    readonly path?: Record<string, string>
    readonly query?: Record<string, string | undefined>
  }
  readonly body?: Record<string, unknown>
}

interface Options {
  readonly reason?: string
  readonly notes?: string
  readonly condition?: readonly string[]
  readonly status?: string
  readonly role?: string
  readonly project?: string
  readonly subject?: string
  readonly amount?: string
  readonly 'eth-amount'?: string
  readonly node?: readonly string[]
  readonly approve?: readonly string[]
  readonly revoke?: readonly string[]
  readonly emergency?: boolean
  readonly 'at-once'?: boolean
}

/** An amount as it was typed. */
export interface GivenAmount {
  readonly option: string
  readonly text: string
  readonly isNative: boolean
}

/** Of ether, which every chain of this protocol pays gas with. */
const nativeSymbol = 'ETH'

interface Command {
  /** Words the command begins with; a word in angle brackets stands for any. */
  readonly words: readonly string[]
  readonly does: string
  /** Options of an example; its words are those of the command. */
  readonly example?: string
  readonly options?: readonly (keyof Options)[]
  readonly call: (given: readonly string[], options: Options) => OperatorCall
}

const get = (path: OperatorPath, query: Record<string, string | undefined> = {}): OperatorCall => ({
  method: 'get',
  path,
  params: { query },
})
const decide = (
  path: OperatorPath,
  subject: Record<string, string>,
  { reason }: Options,
  body: Record<string, unknown> = {},
): OperatorCall => ({
  method: 'post',
  path,
  params: { path: subject },
  body: { ...body, ...(reason !== undefined && { reason }) },
})
const faucet = (enabled: boolean, { amount, 'eth-amount': native, reason }: Options): OperatorCall => ({
  method: 'put',
  path: '/admin/v1/faucet',
  body: {
    enabled,
    ...(amount !== undefined && { amount }),
    ...(native !== undefined && { eth_amount: native }),
    ...(reason !== undefined && { reason }),
  },
})

const reviews = ['approve', 'reject', 'pause', 'resume', 'delist'] as const
const verdicts = ['approve', 'reject'] as const

export const commands: readonly Command[] = [
  {
    words: ['review-queue'],
    does: 'projects that wait for a review',
    call: () => get('/admin/v1/review-queue'),
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
        ...(options.condition && { conditions: options.condition }),
      }),
  })),
  ...(['enrollment', 'verification'] as const).flatMap((what) =>
    verdicts.map((action) => ({
      words: [what, action, '<address>'],
      does: `${action} a developer's ${what}`,
      example: '--reason "Asked by mail."',
      options: ['reason'] as const,
      call: ([address = '']: readonly string[], options: Options) =>
        decide(`/admin/v1/developers/{address}/${what}`, { address }, options, { action }),
    })),
  ),
  {
    words: ['nodes'],
    does: 'registered nodes, newest first',
    example: '--role validator --status pending',
    options: ['status', 'role'],
    call: (_, { status, role }) => get('/admin/v1/nodes', { status, role }),
  },
  {
    words: ['node', 'approve', '<node_id>'],
    does: 'approve a node; a validator with the next generation',
    example: '--reason "Known since the first network."',
    options: ['reason'],
    call: ([node_id = ''], options) => decide('/admin/v1/nodes/{node_id}/approve', { node_id }, options),
  },
  {
    words: ['node', 'revoke', '<node_id>'],
    does: 'revoke a node; a validator with the next generation, or its key at once',
    example: '--reason "Signed two results for one task."',
    options: ['at-once', 'reason'],
    call: ([node_id = ''], options) =>
      decide(
        '/admin/v1/nodes/{node_id}/revoke',
        { node_id },
        options,
        options['at-once'] ? { at_once: true } : {},
      ),
  },
  {
    words: ['validators', 'list'],
    does: 'the validators in force',
    call: () => get('/v1/validators'),
  },
  {
    words: ['validators', 'genesis'],
    does: 'set generation 0 from registered validators, once',
    example: '--node node-0f3a5c7e9b1d2f40 --node node-1a2b3c4d5e6f7081',
    options: ['node', 'reason'],
    call: (_, options) =>
      decide('/admin/v1/validators/genesis', {}, options, { node_ids: options.node ?? [] }),
  },
  {
    words: ['validators', 'generations', 'list'],
    does: 'the generations of validators, newest first',
    call: () => get('/v1/validators/generations'),
  },
  {
    words: ['validators', 'generations', 'pending'],
    does: 'the generation that waits for signatures, and whose',
    call: () => get('/admin/v1/validators/pending'),
  },
  {
    words: ['validators', 'generations', 'make'],
    does: 'make the next generation, which a quorum of the one before has to sign',
    example: '--approve node-0f3a5c7e9b1d2f40 --revoke node-1a2b3c4d5e6f7081',
    options: ['approve', 'revoke', 'emergency', 'reason'],
    call: (_, options) =>
      decide('/admin/v1/validators/generations', {}, options, {
        ...{ approve: options.approve ?? [], revoke: options.revoke ?? [] },
        ...(options.emergency && { emergency: true }),
      }),
  },
  ...(['ban', 'readmit'] as const).map((action) => ({
    words: ['device', action, '<node_id>'],
    does: action === 'ban' ? 'shut a device out of the relay' : 'let a banned device in again',
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
    options: ['status', 'project'],
    call: (_, { status, project }) => get('/v1/explorer/slashes', { status, project_id: project }),
  },
  ...(['cancel', 'uphold'] as const).map((decision) => ({
    words: ['slash', 'resolve', '<evidence_hash>', decision],
    does: decision === 'cancel' ? 'end a slash that is open' : 'decide against the dispute of a slash',
    example:
      decision === 'cancel'
        ? '--notes "The key was copied; see the report."'
        : '--notes "Both votes are of the owner\'s own key."',
    options: ['notes'] as const,
    call: ([evidence_hash = '']: readonly string[], { notes }: Options) =>
      decide(
        '/admin/v1/slashes/{evidence_hash}/resolve',
        { evidence_hash },
        {},
        {
          decision,
          ...(notes !== undefined && { notes }),
        },
      ),
  })),
  {
    words: ['epochs'],
    does: 'epochs with a receipt, newest first',
    example: '--status settled',
    options: ['status', 'project'],
    call: (_, { status, project }) => get('/v1/explorer/epochs', { status, project_id: project }),
  },
  ...(['veto', 'reopen'] as const).map((action) => ({
    words: ['epoch', action, '<project_id>', '<epoch>'],
    does:
      action === 'veto'
        ? 'take a posted epoch back, within its challenge period'
        : 'let a vetoed epoch be posted again',
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
    does: action === 'pause' ? 'stop the posting of epochs, in all vaults' : 'let epochs be posted again',
    example: action === 'pause' ? '--reason "Validators disagree."' : '--reason "Validators agree again."',
    options: ['reason'] as const,
    call: (_: readonly string[], options: Options) => decide(`/admin/v1/settlement/${action}`, {}, options),
  })),
  {
    words: ['faucet', 'open'],
    does: 'open the faucet, with what the deployment gives or what is named',
    example: '--amount 500000000000000000000',
    options: ['amount', 'eth-amount', 'reason'],
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
    does: 'messages that failed and nobody has seen to, newest first',
    call: () => get('/admin/v1/dead-letters'),
  },
  ...(['resend', 'close'] as const).map((action) => ({
    words: ['dead-letters', action, '<message_id>'],
    does: action === 'resend' ? 'send a message that failed once more' : 'give up a message that failed',
    example: action === 'resend' ? '--reason "The chain is back."' : '--reason "Nobody can read it."',
    options: ['reason'] as const,
    call: ([message_id = '']: readonly string[], options: Options) =>
      decide(`/admin/v1/dead-letters/{message_id}/${action}`, { message_id }, options),
  })),
  {
    words: ['relayer'],
    does: 'the relayer, and messages that failed',
    call: () => get('/admin/v1/relayer'),
  },
  {
    words: ['reindex'],
    does: 'forget what was read of the chain, and read it anew',
    example: '--reason "Other contracts."',
    options: ['reason'],
    call: (_, options) => decide('/admin/v1/reindex', {}, options),
  },
  {
    words: ['audit-log'],
    does: 'what operators did, newest first',
    example: '--subject node-0f3a5c7e9b1d2f40',
    options: ['subject'],
    call: (_, { subject }) => get('/admin/v1/audit-log', { subject }),
  },
]

const optionHelp: Record<keyof Options, string> = {
  reason: '--reason TEXT       why, for the audit log',
  notes: '--notes TEXT        why, for the audit log',
  condition: '--condition TEXT    what the developer has to keep to; once for each',
  status:
    '--status STATUS     only those that stand so: nodes, slashes and epochs each have states of their own',
  role: '--role ROLE         miner or validator',
  project: '--project PROJECT   only those of this project, by its id or its slug',
  subject: '--subject ID        only what was done to this project, node, address, slash or message',
  amount: '--amount AMOUNT     tokens of one drip with their symbol, or base units: 10^18 are one token',
  'eth-amount':
    '--eth-amount AMOUNT native currency of one drip, such as "0.01 ETH", or wei: 10^18 are one ether',
  node: '--node ID           a registered validator; once for each',
  approve: '--approve ID        a registered validator that comes; once for each',
  revoke: '--revoke ID         a validator that leaves; once for each',
  emergency:
    '--emergency         end the keys that are revoked now, and replace the generation in force; those that stay sign it',
  'at-once':
    '--at-once           of a validator: what its key signs from now on counts for nothing, in running epochs too',
}

const lineOf = ({ words, options = [] }: Command): string =>
  [...words, ...options.map((option) => `[--${option}]`)].join(' ')

/** What stands for the words in angle brackets in examples. */
const exampleWords: Readonly<Record<string, string>> = {
  '<project_id>': '0x…',
  '<address>': '0x…',
  '<evidence_hash>': '0x…',
  '<epoch>': '498055',
  '<node_id>': 'node-0f3a5c7e9b1d2f40',
  '<message_id>': 'post_epoch:0x…:498055',
}

/** A command as it is typed. */
export const exampleOf = ({ words, example }: Command): string =>
  [
    'npm run -s operator --',
    ...words.map((word) => exampleWords[word] ?? word),
    ...(example === undefined ? [] : [example]),
  ].join(' ')

const examplesOf = (some: readonly Command[]): string =>
  `Examples:\n${some.map((command) => `  ${exampleOf(command)}`).join('\n')}`

/** How to call some of the commands. */
function usageOf(some: readonly Command[]): string {
  const width = Math.max(...some.map((command) => lineOf(command).length))
  const taken = new Set(some.flatMap(({ options = [] }) => options))
  const explained = Object.entries(optionHelp).filter(([option]) => taken.has(option as keyof Options))
  return `Usage: npm run -s operator -- COMMAND [--key-env VARIABLE] [--hub URL]

Signs in as an operator, makes one call, and prints what the hub answers as a table.

${some.map((command) => `  ${lineOf(command).padEnd(width)}  ${command.does}`).join('\n')}

${explained.map(([, help]) => `  ${help}\n`).join('')}  --key-env VARIABLE  the environment variable that holds the operator's private key, 0x and 64 hex digits;
                      left out, the operator of the local network
  --json              print the answer as JSON, with everything that a table leaves out
  --hub URL           ${hubHelp}`
}

/** One example of each part of the work. */
const shownExamples: readonly string[] = [
  'review-queue',
  'project approve <project_id>',
  'node revoke <node_id>',
  'slash resolve <evidence_hash> cancel',
  'epoch veto <project_id> <epoch>',
  'settlement pause',
  'dead-letters resend <message_id>',
]

export const usage = `${usageOf(commands)}

COMMAND --help shows what is about that command, with an example.

Exit codes: 0 done, 1 refused, 2 wrong usage.

${examplesOf(commands.filter(({ words }) => shownExamples.includes(words.join(' '))))}`

/** Finds the command and reads its options, or gives the help. @throws {@link UsageError} */
export function readCommand(args: readonly string[]):
  | { help: string }
  | {
      call: OperatorCall
      /** Whose symbol has to be that of the network. */
      tokenAmounts: readonly GivenAmount[]
      keyEnv: string | undefined
      json: boolean
      hub: string
    } {
  const { values, positionals } = parse(args)
  const { help, hub, json = false, 'key-env': keyEnv, ...options } = values
  const beginning = commands.filter(({ words }) => begins(words, positionals))
  if (help || args.length === 0)
    return {
      help:
        positionals.length === 0 || beginning.length === 0
          ? usage
          : `${usageOf(beginning)}\n\n${examplesOf(beginning)}`,
    }
  const command = beginning.find(({ words }) => words.length === positionals.length)
  const wrong = (what: string) => new UsageError(`${what} ${seeHelpOf(positionals)}`)
  if (!command) throw wrong(explain(positionals))
  const allowed: readonly string[] = command.options ?? []
  const foreign = Object.keys(options).find((name) => !allowed.includes(name))
  if (foreign !== undefined) throw wrong(`"${positionals.join(' ')}" takes no --${foreign}.`)
  if (command.words[1] === 'genesis' && options.node === undefined)
    throw wrong('"validators genesis" needs --node, once for each validator.')
  const amounts = (['amount', 'eth-amount'] as const).flatMap((name): GivenAmount[] => {
    const text = options[name]
    return text === undefined ? [] : [{ option: `--${name}`, text, isNative: name === 'eth-amount' }]
  })
  const inBaseUnits = ({ option, text, isNative }: GivenAmount): string => {
    try {
      return readAmount(option, text, isNative ? nativeSymbol : null)
    } catch (error) {
      throw error instanceof UsageError ? wrong(error.message) : error
    }
  }
  for (const { option, ...given } of amounts)
    options[option.slice(2) as 'amount' | 'eth-amount'] = inBaseUnits({ option, ...given })
  const given = positionals.filter((_, index) => command.words[index]?.startsWith('<'))
  return {
    call: command.call(given, options),
    tokenAmounts: amounts.filter(({ isNative }) => !isNative),
    keyEnv,
    json,
    hub: readHub(hub),
  }
}

/** Where to read on: the help of the command that was meant, as far as it can be told. */
function seeHelpOf(given: readonly string[]): string {
  const known = given.slice(0, knownLength(given))
  const names = known.filter((word, index) => commands.some(({ words }) => words[index] === word))
  return `See ${['npm run -s operator --', ...names, '--help'].join(' ')}`
}

/** How many of the words begin a command. */
const knownLength = (given: readonly string[]): number =>
  given.findLastIndex((_, index) => commands.some(({ words }) => begins(words, given.slice(0, index + 1)))) +
  1

/** Whether a command with these words can begin with what was given. */
const begins = (words: readonly string[], given: readonly string[]): boolean =>
  given.every((word, index) => words[index]?.startsWith('<') || word === words[index])

/** Why words are no command: where they leave the commands that begin as they do, or that they end too early. */
function explain(given: readonly string[]): string {
  const known = knownLength(given)
  const sense = given.slice(0, known)
  const rest = given[known]
  if (sense.length === 0) return rest === undefined ? 'Name a command.' : `There is no command "${rest}".`
  const next = commands
    .filter(({ words }) => begins(words, sense))
    .flatMap(({ words }) => words[sense.length] ?? [])
  const [placeholder] = next.filter((word) => word.startsWith('<'))
  if (next.length === 0) return `"${sense.join(' ')}" takes no "${rest}".`
  if (placeholder !== undefined) return `"${sense.join(' ')}" needs ${placeholder}.`
  const choice = [...new Set(next)].join(', ')
  return `"${sense.join(' ')}" needs one of ${choice}${rest === undefined ? '' : `, not "${rest}"`}.`
}

const parse = (args: readonly string[]) =>
  readArguments(
    {
      args: [...args],
      allowPositionals: true,
      options: {
        reason: { type: 'string' },
        notes: { type: 'string' },
        condition: { type: 'string', multiple: true },
        status: { type: 'string' },
        role: { type: 'string' },
        project: { type: 'string' },
        subject: { type: 'string' },
        amount: { type: 'string' },
        'eth-amount': { type: 'string' },
        node: { type: 'string', multiple: true },
        approve: { type: 'string', multiple: true },
        revoke: { type: 'string', multiple: true },
        emergency: { type: 'boolean' },
        'at-once': { type: 'boolean' },
        'key-env': { type: 'string' },
        hub: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    },
    seeHelpOf(args),
  )
