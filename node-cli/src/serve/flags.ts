import { availableParallelism, homedir } from 'node:os'
import path from 'node:path'
import {
  hasWrongChecksum,
  isAddress,
  isBytes32,
  isLoopbackHost,
  isPrivateHost,
} from '../../../protocol/encoding/index.ts'
import { limits } from '../engine/limits.ts'
import { defaultProfile, profileArgument } from '../profile.ts'

/** Thrown for the text of a setting that breaks its rule; the message completes "<setting> must be …". */
export class SettingProblem extends Error {
  override readonly name = 'SettingProblem'
}

/** A setting of `serve`. Its flag, its variable of the environment and its member of `config.json` follow from its name. */
export interface Setting<Value> {
  /** The placeholder for its value in the help. */
  readonly hint: string
  readonly description: string
  /** The value when it is given nowhere, in words; an empty text for a setting that is off then. */
  readonly default: string
  /** Null stands for a setting that is given nowhere. @throws {@link SettingProblem} */
  readonly read: (text: string | null) => Value
}

const define = <Value>(setting: Setting<Value>): Setting<Value> => setting

export interface BindAddress {
  readonly host: string
  readonly port: number
}

const roles = ['miner', 'validator'] as const
const clocks = ['system', 'hub'] as const
const logFormats = ['pretty', 'json'] as const
/** From the most important. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const

export type Role = (typeof roles)[number]
export type LogFormat = (typeof logFormats)[number]
export type LogLevel = (typeof logLevels)[number]

/** In MiB: a tebibyte. */
const chunkStorageMax = 1024 * 1024
const mebibytesMax = 1024 * 1024
const hoursMax = 10 * 365 * 24
/** A worker uses this much gas in under a second. */
const directGasDefault = 1_000_000_000
const workersMax = 64

/** Every setting of `serve` under the name of its flag, in the order of the help. */
export const settings = {
  bind: define({
    hint: 'HOST:PORT',
    description: 'Address to listen on; a host beyond this machine needs NODE_API_TOKEN',
    default: '127.0.0.1:7070',
    read: (text) => readBind(text ?? '127.0.0.1:7070'),
  }),
  'data-dir': define({
    hint: 'DIR',
    description: 'Folder for key, modules, storage, votes and ledger',
    default: 'nodectl in the data folder of your user',
    read: (text) => text ?? defaultDataDir(),
  }),
  'hub-url': define({
    hint: 'URL',
    description: 'The hub to register with; without one the node works alone',
    default: '',
    read: optional((text) => readUrl(text, isLoopbackHost)),
  }),
  'node-url': define({
    hint: 'URL',
    description: 'Address at which hub and peers reach this node; a validator needs it',
    default: '',
    read: optional((text) => readUrl(text, isLoopbackHost, isPrivateHost)),
  }),
  profile: define({
    hint: profileArgument.valueHint,
    description: profileArgument.description,
    default: 'the names in the data directory, else those of the hub',
    read: (text) => text,
  }),
  network: define({
    hint: 'NAME',
    description: 'The network the node belongs to',
    default: `that of the profile, else ${defaultProfile.network}`,
    read: optional(readNetwork),
  }),
  'chain-id': define({
    hint: 'N',
    description: 'The chain of the network',
    default: `that of the profile, else ${defaultProfile.chain_id}`,
    read: optional((text) => readInteger(text, 1, Number.MAX_SAFE_INTEGER)),
  }),
  'params-changes': define({
    hint: 'FILE',
    description: 'Changes of network parameters: a JSON list, the same as PARAMS_CHANGES of the hub',
    default: 'those that this version knows for the chain',
    read: (text) => text,
  }),
  'chain-rpc': define({
    hint: 'URL',
    description: 'JSON-RPC node of the chain, to check committee sets',
    default: '',
    read: optional(readRpcUrl),
  }),
  'validators-hash': define({
    hint: '0x…',
    description: 'Hash of the generation of validators to trust first, instead of generation 0',
    default: '',
    read: optional(readHash),
  }),
  role: define({
    hint: roles.join('|'),
    description: 'Work that the node does for the network',
    default: 'miner',
    read: (text) => readChoice(text ?? 'miner', roles),
  }),
  'payout-address': define({
    hint: '0x…',
    description: 'Wallet that is paid for direct rounds',
    default: '',
    read: optional(readAddress),
  }),
  'state-sync': define({
    hint: 'true|false',
    description: 'Take modules and their storage from a peer before work begins; needs --hub-url',
    default: 'false',
    read: (text) => readChoice(text ?? 'false', ['true', 'false']) === 'true',
  }),
  'chunk-storage': define({
    hint: 'MIB',
    description: 'Keep up to this many MiB of chunks for others',
    default: '',
    read: optional((text) => readInteger(text, 1, chunkStorageMax)),
  }),
  workers: define({
    hint: 'N',
    description: `Executions at once, 1 to ${workersMax}`,
    default: 'one for each processor',
    read: (text) =>
      text === null ? Math.min(availableParallelism(), workersMax) : readInteger(text, 1, workersMax),
  }),
  'direct-gas': define({
    hint: 'GAS',
    description: 'The most gas of a direct round; everybody may ask the hub for such rounds',
    default: String(directGasDefault),
    read: (text) => readInteger(text ?? String(directGasDefault), 1, limits.gas),
  }),
  'direct-share': define({
    hint: 'PERCENT',
    description: "Share of one worker's time for direct rounds",
    default: '50',
    read: (text) => readInteger(text ?? '50', 1, 100) / 100,
  }),
  'direct-hours': define({
    hint: 'HOURS',
    description: 'How long direct rounds are kept',
    default: '24',
    read: (text) => readInteger(text ?? '24', 1, hoursMax),
  }),
  'direct-rounds': define({
    hint: 'N',
    description: 'How many direct rounds are kept',
    default: '10000',
    read: (text) => readInteger(text ?? '10000', 1, 10_000_000),
  }),
  'direct-storage': define({
    hint: 'MIB',
    description: 'The most disk space of all kept direct rounds together',
    default: '256',
    read: (text) => readInteger(text ?? '256', 1, mebibytesMax),
  }),
  'disk-reserve': define({
    hint: 'MIB',
    description: 'Refuse direct rounds while less disk space than this is free',
    default: '512',
    read: (text) => readInteger(text ?? '512', 0, mebibytesMax),
  }),
  clock: define({
    hint: clocks.join('|'),
    description: 'Clock for the times in signatures; hub needs --hub-url',
    default: 'system',
    read: (text) => readChoice(text ?? 'system', clocks),
  }),
  'log-format': define({
    hint: logFormats.join('|'),
    description: 'Format of the log on standard error',
    default: 'pretty on a terminal, else json',
    read: (text) =>
      text === null ? (process.stderr.isTTY ? 'pretty' : 'json') : readChoice(text, logFormats),
  }),
  'log-level': define({
    hint: logLevels.join('|'),
    description: 'The lowest level of log lines to write',
    default: 'info',
    read: (text) => readChoice(text ?? 'info', logLevels),
  }),
} as const

export type SettingName = keyof typeof settings

export const settingNames = Object.keys(settings) as SettingName[]

export const variableOf = (name: SettingName): string => `NODE_${name.toUpperCase().replaceAll('-', '_')}`

/** The token of the operator's calls. A flag would show it to every user of the machine. */
export const apiTokenVariable = 'NODE_API_TOKEN'

/** The member of `config.json` that a setting can be given in; the data directory cannot be named inside itself. */
export const memberOf = (name: SettingName): string => name.replaceAll('-', '_')

function optional<Value>(read: (text: string) => Value): (text: string | null) => Value | null {
  return (text) => (text === null ? null : read(text))
}

function readChoice<Choice extends string>(text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === text)
  if (choice === undefined) throw new SettingProblem(choices.join(' or '))
  return choice
}

function readInteger(text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d{1,16}$/.test(text) || value < min || value > max)
    throw new SettingProblem(`a whole number from ${min} to ${max}`)
  return value
}

function readBind(text: string): BindAddress {
  const { host, port } =
    /^(?<host>\[[0-9a-fA-F:.]+\]|[0-9A-Za-z.-]+):(?<port>\d{1,5})$/.exec(text)?.groups ?? {}
  if (host === undefined || Number(port) > 65_535)
    throw new SettingProblem('a host and a port such as 127.0.0.1:7070 or [::1]:7070')
  return { host: host.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(port) }
}

/** An origin, with a path at most: plain http only to hosts that `allowsPlain` names. */
function readUrl(
  text: string,
  allowsPlain: (hostname: string) => boolean,
  isUnreachable: (hostname: string) => boolean = () => false,
): string {
  const url = parseUrl(text)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new SettingProblem('a URL without credentials, query and fragment')
  if (url.protocol === 'http:' && !allowsPlain(url.hostname))
    throw new SettingProblem('an https URL, unless its host is this machine')
  if (isUnreachable(url.hostname) && !isLoopbackHost(url.hostname))
    throw new SettingProblem('a URL with a public host, which others can reach')
  return url.href.replace(/\/+$/, '')
}

/** Providers take a key of their customer in path, query or user name. */
function readRpcUrl(text: string): string {
  return parseUrl(text).href
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new SettingProblem('a URL that begins with https:// or http://')
  return url
}

function readNetwork(text: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(text))
    throw new SettingProblem('a name of up to 63 of a-z, 0-9 and hyphens')
  return text
}

function readHash(text: string): string {
  if (!isBytes32(text)) throw new SettingProblem('a hash of 0x and 64 hex digits in lower case')
  return text
}

function readAddress(text: string): string {
  const address = text.toLowerCase()
  if (!isAddress(address)) throw new SettingProblem('an address of 0x and 40 hex digits')
  if (hasWrongChecksum(text))
    throw new SettingProblem('an address with a correct checksum (check it for typing errors)')
  return address
}

function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return path.join(env.LOCALAPPDATA ?? homedir(), 'nodectl')
  if (process.platform === 'darwin') return path.join(homedir(), 'Library', 'Application Support', 'nodectl')
  return path.join(env.XDG_DATA_HOME || path.join(homedir(), '.local', 'share'), 'nodectl')
}
