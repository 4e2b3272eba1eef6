import { parseArgs } from 'node:util'
import { UsageError } from './state.ts'

/** One call of the hub's operator API. */
export interface OperatorCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly json?: Record<string, unknown>
}

interface Options {
  readonly reason?: string
  readonly condition?: readonly string[]
  readonly status?: string
  readonly role?: string
  readonly subject?: string
  readonly amount?: string
  readonly 'eth-amount'?: string
}

interface Command {
  /** Words the command begins with; a word in angle brackets stands for any. */
  readonly words: readonly string[]
  readonly does: string
  readonly options?: readonly (keyof Options)[]
  readonly call: (given: readonly string[], options: Options) => OperatorCall
}

const get = (path: string, query: Record<string, string | undefined> = {}): OperatorCall => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return { method: 'GET', path: given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path }
}
const decide = (path: string, { reason }: Options, json: Record<string, unknown> = {}): OperatorCall => ({
  method: 'POST',
  path,
  json: { ...json, ...(reason !== undefined && { reason }) },
})
const faucet = (enabled: boolean, { amount, 'eth-amount': native, reason }: Options): OperatorCall => ({
  method: 'PUT',
  path: '/admin/v1/faucet',
  json: {
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
    options: ['reason', 'condition'] as const,
    call: ([id]: readonly string[], options: Options) =>
      decide(`/admin/v1/projects/${id}/review`, options, {
        action,
        ...(options.condition && { conditions: options.condition }),
      }),
  })),
  ...(['enrollment', 'verification'] as const).flatMap((what) =>
    verdicts.map((action) => ({
      words: [what, action, '<address>'],
      does: `${action} a developer's ${what}`,
      options: ['reason'] as const,
      call: ([address]: readonly string[], options: Options) =>
        decide(`/admin/v1/developers/${address}/${what}`, options, { action }),
    })),
  ),
  {
    words: ['nodes'],
    does: 'registered nodes, newest first',
    options: ['status', 'role'],
    call: (_, { status, role }) => get('/admin/v1/nodes', { status, role }),
  },
  ...(['approve', 'revoke'] as const).map((action) => ({
    words: ['node', action, '<node_id>'],
    does: `${action} a node`,
    options: ['reason'] as const,
    call: ([id]: readonly string[], options: Options) => decide(`/admin/v1/nodes/${id}/${action}`, options),
  })),
  {
    words: ['faucet', 'open'],
    does: 'open the faucet, with what the deployment gives or what is named',
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
    words: ['relayer'],
    does: 'the relayer, and messages that failed',
    call: () => get('/admin/v1/relayer'),
  },
  {
    words: ['audit-log'],
    does: 'what operators did, newest first',
    options: ['subject'],
    call: (_, { subject }) => get('/admin/v1/audit-log', { subject }),
  },
]

const width = 62
const lineOf = ({ words, options = [], does }: Command): string => {
  const line = [...words, ...options.map((option) => `[--${option}]`)].join(' ')
  return `  ${line.padEnd(width)}  ${does}`
}

export const usage = `Usage: npm run -s operator -- COMMAND [--key-env VARIABLE] [--hub URL]

Signs in as an operator, makes one call, and prints what the hub answers as JSON.

${commands.map(lineOf).join('\n')}

  --condition TEXT    what the developer has to keep to; once for each
  --key-env VARIABLE  the environment variable that holds the operator's private key, 0x and 64 hex digits;
                      left out, the operator of the local network
  --hub URL           default http://localhost:8787

Exit codes: 0 done, 1 refused, 2 wrong usage.

Examples:
  npm run -s operator -- review-queue
  npm run -s operator -- project approve 0x… --condition "Publishes its data."
  npm run -s operator -- node revoke node-0f3a5c7e9b1d2f40 --reason "Signed two results for one task."`

/** Finds the command and reads what it is given. @throws {@link UsageError} */
export function readCommand(args: readonly string[]): {
  call: OperatorCall
  keyEnv: string | undefined
  hub: string
} | null {
  const { values, positionals } = parse(args)
  const { help, hub, 'key-env': keyEnv, ...options } = values
  if (help || args.length === 0) return null
  const command = commands.find(({ words }) => matches(words, positionals))
  if (!command)
    throw new UsageError(`There is no command "${positionals.join(' ')}". See npm run -s operator -- --help`)
  const allowed: readonly string[] = command.options ?? []
  const foreign = Object.keys(options).find((name) => !allowed.includes(name))
  if (foreign !== undefined) throw new UsageError(`"${positionals.join(' ')}" takes no --${foreign}.`)
  const given = positionals.filter((_, index) => command.words[index]?.startsWith('<'))
  return {
    call: command.call(given.map(encodeURIComponent), options),
    keyEnv,
    hub: hub.replace(/\/$/, ''),
  }
}

const matches = (words: readonly string[], given: readonly string[]): boolean =>
  words.length === given.length && words.every((word, index) => word.startsWith('<') || word === given[index])

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        reason: { type: 'string' },
        condition: { type: 'string', multiple: true },
        status: { type: 'string' },
        role: { type: 'string' },
        subject: { type: 'string' },
        amount: { type: 'string' },
        'eth-amount': { type: 'string' },
        'key-env': { type: 'string' },
        hub: { type: 'string', default: 'http://localhost:8787' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. See npm run -s operator -- --help`)
  }
}
