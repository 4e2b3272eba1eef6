import { isLoopbackHost, isObject } from '../../protocol/encoding/index.ts'
import { CliError, UsageError } from './cli/errors.ts'
import { readNodeKey } from './data-dir/node-key.ts'
import { type JsonAnswer, NoAnswer, OversizedAnswer, requestJson } from './http-json.ts'
import { nodeSigner } from './node-signer.ts'
import { type GivenSettings, readSettings } from './serve/config.ts'
import { apiTokenVariable } from './serve/flags.ts'

const timeoutSeconds = 5
const answerBytesMax = 2 ** 22

/** The answer of a running node to `GET /status`: redacted without its token. */
export type NodeStatus = Readonly<Record<string, unknown>>

/** The URL at which this machine reaches the node of these settings. */
export function addressOfNode(flags: GivenSettings, env: NodeJS.ProcessEnv = process.env): string {
  const { bind } = readSettings(['bind'], flags, env)
  // A node that listens everywhere listens here.
  const host = bind.host === '0.0.0.0' ? '127.0.0.1' : bind.host === '::' ? '::1' : bind.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${bind.port}`
}

/**
 * Asks a running node how it is, with the token in the environment where it may be sent: over TLS, or within this machine.
 *
 * @throws {@link CliError} when no node answers.
 */
export async function readStatus(url: string, env: NodeJS.ProcessEnv = process.env): Promise<NodeStatus> {
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new UsageError(`--url must be a URL such as http://127.0.0.1:7070, not ${url}`)
  const token = env[apiTokenVariable]
  const maySend = address.protocol === 'https:' || isLoopbackHost(address.hostname)
  const authorization = token && maySend ? { Authorization: `Bearer ${token}` } : {}
  // A proxy may have several nodes, each below a path of its own.
  const base = address.origin + address.pathname.replace(/\/+$/, '')
  const { status, value } = await ask(base, '/status', authorization)
  if (status === 401)
    throw new CliError('unauthorized', `the node on ${base} has another token than ${apiTokenVariable}`)
  if (status !== 200 || !isObject(value) || !isObject(value.counts)) throw notANode(base)
  return value
}

const notANode = (base: string): CliError =>
  new CliError('not_a_node', `the server at ${base} is not a nodectl node`, {
    hint: 'Name the address of the node with --url.',
  })

/**
 * Two nodes of one machine have the same settings, but for their keys, until one of them is told to listen elsewhere.
 *
 * @throws {@link CliError} if the running node has another key than its data directory should have.
 */
export async function requireNodeOf(dataDir: string, origin: string): Promise<void> {
  const key = publicKeyIn(dataDir)
  if (key === null) return
  const { value } = await ask(origin, '/node')
  if (!isObject(value) || value.public_key === key) return
  throw new CliError('another_node', `the node on ${origin} is ${value.node_id}, not that of ${dataDir}`, {
    hint: 'Start that one with nodectl serve, or name its address with --url.',
  })
}

/** Null without a key, and to a user who may not read it. */
function publicKeyIn(dataDir: string): string | null {
  try {
    const seed = readNodeKey(dataDir)
    return seed === null ? null : nodeSigner(seed).publicKey
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return null
  }
}

/** @throws {@link CliError} when nobody answers, or with more than a node would. */
async function ask(
  base: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer> {
  try {
    return await requestJson(base + path, { headers, timeoutSeconds, answerBytesMax })
  } catch (error) {
    if (error instanceof OversizedAnswer) throw notANode(base)
    if (!(error instanceof NoAnswer)) throw error
    throw new CliError('no_node', `no node answers on ${base}: ${error.message}`, {
      hint: 'Start it with nodectl serve, or name its address with --url.',
    })
  }
}
