import { readArguments } from '../scripts/command/arguments.ts'
import { callOf } from '../scripts/command/call.ts'
import { UsageError } from '../scripts/command/errors.ts'
import { usualBlockSecs } from './chain-history.ts'
import type { PlatformOptions } from './platform.ts'
import { stateFolder } from './state.ts'

export const usage = `Usage: ${callOf('start', '[--port N]')} [--chain-port N] [--node-port N] [--block-time N] [--rpc URL] [--profile FILE]
                    [--params-changes FILE] [--fresh] [--no-sample] [--no-nodes] [--platform cloudflare] [--seed N]

Starts the local network, chain, contracts and nodes included, and stops it on Ctrl-C. Its data survives in
${stateFolder}/; LOCALNET_DIR names another folder.

  --port N        port of the hub (default 8787; 0 takes any free one)
  --chain-port N  port of the chain (default 8545, or any free one while that is in use)
  --node-port N   port of the first node; the others have those after it, validators first (default any free ones)
  --block-time N  seconds from one empty block to the next, from 1 to 60 (default ${usualBlockSecs}): a task is final after the next
                  block, and with half the time the chain takes four times as much of the disk
  --rpc URL       use the chain at URL instead of starting one: a local chain (id 31337 or 1337) where the accounts
                  of anvil have funds
  --profile FILE  names of the network: a JSON file with the members that differ from the default (docs/local-network.md).
                  The network keeps them until it starts with other ones or with --fresh; other names need new contracts
  --params-changes FILE
                  changes of network parameters: a JSON list of {from, params} (docs/local-network.md). The network keeps
                  them until it starts with others or with --fresh
  --fresh         start with empty data
  --no-sample     without the sample project and its devices
  --no-nodes      without validators and devices: no task is executed
  --platform cloudflare
                  runs the hub under the limits and delays of Cloudflare; SIGUSR2 to the process in
                  ${stateFolder}/localnet.pid deploys it again, which closes every socket
  --seed N        seed for the delays and choices of the platform (default 1)
  --help          show this

Exit codes: 0 stopped, 1 could not start or broke down, 2 wrong usage, 70 a bug.

Examples:
  ${callOf('start')}
  ${callOf('start', '--port 9000 --fresh')}
  ${callOf('start', '--rpc http://127.0.0.1:8545')}`

export type Options = ReturnType<typeof readOptions>

/** Whether the arguments hold `--help`. */
export const asksForHelp = (args: readonly string[]): boolean => parse(args).help ?? false

/** @throws {@link UsageError} */
export function readOptions(args: readonly string[]) {
  const values = parse(args)
  if (values.seed !== undefined && values.platform === undefined)
    throw new UsageError('--seed sets the delays of a simulated platform. Use it with --platform cloudflare.')
  for (const option of ['chain-port', 'block-time'] as const)
    if (values.rpc !== undefined && values[option] !== undefined)
      throw new UsageError(
        `--${option} is for a chain that the network starts itself, which --rpc replaces. Use only one of them.`,
      )
  const port = readPort('--port', values.port) ?? 8787
  const chainPort = readPort('--chain-port', values['chain-port'])
  if (port === chainPort && port !== 0)
    throw new UsageError(
      `The hub and the chain cannot both have port ${port}: --port and --chain-port must differ.`,
    )
  return {
    port,
    /** Null for the default one, or another when that is taken. */
    chainPort,
    /** Seconds from one empty block of the chain to the next. */
    blockSecs: readBlockTime(values['block-time']),
    /** Null for any free ones. */
    nodePort: readNodePort(values['node-port']),
    /** Null to start a chain. */
    rpc: readUrl(values.rpc),
    /** File with the names of the network; null for those that it has. */
    profile: values.profile ?? null,
    /** File with changes of network parameters; null for those that it has. */
    paramsChanges: values['params-changes'] ?? null,
    fresh: values.fresh ?? false,
    /** Whether sample data is made. */
    sample: !values['no-sample'],
    /** Whether validators and the devices of the sample run. */
    nodes: !values['no-nodes'],
    /** Null for a hub without limits. */
    platform: readPlatform(values.platform, values.seed),
  }
}

/**
 * The command that starts the network as `args` do, over the same data, but with one option set otherwise.
 *
 * @param value null for a flag.
 */
export function commandWith(
  args: readonly string[],
  option: string,
  value: string | null,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const others = args.filter(
    (arg, index) =>
      arg !== option && !arg.startsWith(`${option}=`) && (value === null || args[index - 1] !== option),
  )
  const all = [...others.map(quoted), option, ...(value === null ? [] : [value])]
  return [
    ...(env.LOCALNET_DIR === undefined ? [] : [`LOCALNET_DIR=${quoted(env.LOCALNET_DIR)}`]),
    callOf('start', all.join(' ')),
  ].join(' ')
}

/** As a shell reads it back. */
const quoted = (arg: string): string =>
  /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`

function parse(args: readonly string[]) {
  const options = {
    port: { type: 'string' },
    'chain-port': { type: 'string' },
    'node-port': { type: 'string' },
    'block-time': { type: 'string' },
    rpc: { type: 'string' },
    profile: { type: 'string' },
    'params-changes': { type: 'string' },
    fresh: { type: 'boolean' },
    'no-sample': { type: 'boolean' },
    'no-nodes': { type: 'boolean' },
    platform: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  return readArguments({ args: [...args], options }, usage).values
}

function readPort(option: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`${option} must be a number from 0 to 65535, not "${text}".`)
  return Number(text)
}

function readBlockTime(text: string | undefined): number {
  if (text === undefined) return usualBlockSecs
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > 60)
    throw new UsageError(`--block-time must be a number of seconds from 1 to 60, not "${text}".`)
  return Number(text)
}

/** Reads the first port of the nodes, after which all nodes of a network find a port. */
function readNodePort(text: string | undefined): number | null {
  const port = readPort('--node-port', text)
  if (port !== null && port > 65_500)
    throw new UsageError(`--node-port must be at most 65500, not "${text}".`)
  return port === 0 ? null : port
}

function readPlatform(name: string | undefined, seed = '1'): PlatformOptions | null {
  if (name === undefined) return null
  if (name !== 'cloudflare') throw new UsageError(`--platform must be "cloudflare", not "${name}".`)
  if (!/^\d{1,9}$/.test(seed))
    throw new UsageError(`--seed must be a number from 0 to 999999999, not "${seed}".`)
  return { seed: Number(seed) }
}

function readUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--rpc must be an http or https URL, not "${text}".`)
  return text
}
