import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  CanonicalJsonError,
  isLoopbackHost,
  isObject,
  parseStrictJson,
} from '../../../protocol/encoding/index.ts'
import type { Profile } from '../../../protocol/identity/index.ts'
import { CliError, UsageError } from '../cli/errors.ts'
import { readUpTo } from '../cli/input.ts'
import { engineOf } from '../cli/run-request.ts'
import { suggest } from '../cli/suggest.ts'
import type { EngineChoice } from '../engine/index.ts'
import { paramsScheduleFrom } from '../params-changes.ts'
import { defaultProfile, findProfile } from '../profile.ts'
import {
  apiTokenVariable,
  type BindAddress,
  type LogFormat,
  type LogLevel,
  memberOf,
  type Role,
  type SettingName,
  SettingProblem,
  settingNames,
  settings,
  variableOf,
} from './flags.ts'
import type { DirectRetention } from './store/direct-rounds.ts'

/** The limits of direct rounds, which the node runs for anybody who asks the hub. */
export interface DirectConfig {
  readonly gasMax: number
  /** The share of one worker's time that direct rounds may take. */
  readonly share: number
  readonly retention: DirectRetention
  readonly diskReserveBytes: number
}

/** The names of the node's network. */
export interface Names {
  readonly profile: Profile
  /** Whether a file gives them; otherwise the hub does. */
  readonly areGiven: boolean
}

interface NameSettings {
  readonly dataDir: string
  /** Null if none was named. */
  readonly file: string | null
  readonly network: string | null
  readonly chainId: number | null
}

export interface ServeConfig {
  readonly bind: BindAddress
  readonly dataDir: string
  readonly hubUrl: string | null
  readonly nodeUrl: string | null
  readonly names: Names
  /** A file of changes of parameters; null for those that this version knows. */
  readonly paramsChanges: string | null
  /** May hold a secret of the operator. */
  readonly chainRpc: string | null
  /** Hash of the generation where this node's chain of validator generations begins; null for generation 0. */
  readonly validatorsHash: string | null
  readonly role: Role
  readonly payoutAddress: string | null
  readonly stateSync: boolean
  /** In MiB; null while the node keeps no chunks. */
  readonly chunkStorage: number | null
  readonly workers: number
  readonly direct: DirectConfig
  readonly clock: 'system' | 'hub'
  readonly logFormat: LogFormat
  readonly logLevel: LogLevel
  readonly engine: EngineChoice
  /** Null on a loopback address without `NODE_API_TOKEN`. */
  readonly apiToken: string | null
}

export type GivenSettings = Readonly<Partial<Record<SettingName, string | undefined>>>

/** A text and the place where it was given, which errors about it name. */
interface Given {
  readonly text: string
  readonly place: string
}

const configBytesMax = 64 * 1024
const bytesPerMebibyte = 1024 * 1024
export const apiTokenLengthMin = 16

/**
 * Reads every setting: from its flag, else from its variable of the environment, else from `config.json` of the data
 * directory, else its default.
 *
 * @throws {@link UsageError} for a setting that breaks its rule or lacks another; {@link CliError} for a file that cannot
 * be read and for an address that is open to others without a token.
 */
export function readConfig(flags: GivenSettings, env: NodeJS.ProcessEnv = process.env): ServeConfig {
  const read = settingReader(flags, env)
  const config: ServeConfig = {
    bind: read('bind'),
    dataDir: read('data-dir'),
    hubUrl: read('hub-url'),
    nodeUrl: read('node-url'),
    names: namesOf({
      dataDir: read('data-dir'),
      file: read('profile'),
      network: read('network'),
      chainId: read('chain-id'),
    }),
    paramsChanges: read('params-changes'),
    chainRpc: read('chain-rpc'),
    validatorsHash: read('validators-hash'),
    role: read('role'),
    payoutAddress: read('payout-address'),
    stateSync: read('state-sync'),
    chunkStorage: read('chunk-storage'),
    workers: read('workers'),
    direct: {
      gasMax: read('direct-gas'),
      share: read('direct-share'),
      retention: {
        seconds: read('direct-hours') * 3600,
        rounds: read('direct-rounds'),
        bytes: read('direct-storage') * bytesPerMebibyte,
      },
      diskReserveBytes: read('disk-reserve') * bytesPerMebibyte,
    },
    clock: read('clock'),
    logFormat: read('log-format'),
    logLevel: read('log-level'),
    engine: engineOf(env),
    apiToken: env[apiTokenVariable] || null,
  }
  // A wrong file is told at once, and read again for the chain that the hub names.
  paramsScheduleFrom(config.paramsChanges, config.names.profile.chain_id)
  checkTogether(config)
  checkToken(config)
  return config
}

/** Which network the node belongs to, as the settings say. */
export function namesOf({ dataDir, file, network, chainId }: NameSettings): Names {
  const found = findProfile(file, dataDir)
  const profile = found ?? defaultProfile
  return {
    profile: { ...profile, network: network ?? profile.network, chain_id: chainId ?? profile.chain_id },
    areGiven: found !== null,
  }
}

/** Reads some settings alone, for a command that shares them with `serve`. @throws as {@link readConfig} */
export function readSettings<const Name extends SettingName>(
  names: readonly Name[],
  flags: GivenSettings,
  env: NodeJS.ProcessEnv = process.env,
): { readonly [Member in Name]: ValueOf<Member> } {
  const read = settingReader(flags, env)
  return Object.fromEntries(names.map((name) => [name, read(name)])) as { [Member in Name]: ValueOf<Member> }
}

/** Finds a setting where it is given first. */
function settingReader(
  flags: GivenSettings,
  env: NodeJS.ProcessEnv,
): <Name extends SettingName>(name: Name) => ValueOf<Name> {
  const given = (name: SettingName): Given | undefined => {
    const flag = flags[name]
    if (flag !== undefined) return { text: flag, place: `--${name}` }
    // A line of an environment file that is left empty gives nothing.
    const variable = env[variableOf(name)]
    return variable ? { text: variable, place: variableOf(name) } : undefined
  }
  const dataDir = path.resolve(readSetting('data-dir', given('data-dir')))
  const file = readConfigFile(path.join(dataDir, 'config.json'))
  return <Name extends SettingName>(name: Name) =>
    name === 'data-dir' ? (dataDir as ValueOf<Name>) : readSetting(name, given(name) ?? file.get(name))
}

type ValueOf<Name extends SettingName> = ReturnType<(typeof settings)[Name]['read']>

function readSetting<Name extends SettingName>(name: Name, given: Given | undefined): ValueOf<Name> {
  try {
    return settings[name].read(given?.text ?? null) as ValueOf<Name>
  } catch (error) {
    if (!(error instanceof SettingProblem) || given === undefined) throw error
    throw new UsageError(`${given.place} must be ${error.message}, not ${given.text}`)
  }
}

function readConfigFile(file: string): ReadonlyMap<SettingName, Given> {
  if (!existsSync(file)) return new Map()
  const members = parseConfigFile(file)
  const names = new Map(
    settingNames.filter((name) => name !== 'data-dir').map((name) => [memberOf(name), name]),
  )
  const read = Object.entries(members).map(([member, value]): [SettingName, Given] => {
    const name = names.get(member)
    if (name === undefined) {
      const meant = suggest(member, [...names.keys()])
      throw new UsageError(`${file} has no setting ${member}${meant ? `; did you mean ${meant}?` : ''}`)
    }
    if (!['string', 'number', 'boolean'].includes(typeof value) || value === '')
      throw new UsageError(`${member} in ${file} must be a text, a number or true or false`)
    return [name, { text: String(value), place: `${member} in ${file}` }]
  })
  return new Map(read)
}

function parseConfigFile(file: string): Record<string, unknown> {
  let bytes: Uint8Array
  try {
    bytes = readUpTo(file, configBytesMax)
  } catch (error) {
    throw new CliError('config', `${file} cannot be read: ${(error as Error).message}`)
  }
  if (bytes.length > configBytesMax)
    throw new CliError('config', `${file} is larger than ${configBytesMax} bytes`)
  try {
    const value = parseStrictJson(bytes)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    throw new CliError('config', `${file} is not acceptable JSON: ${error.message}`)
  }
  throw new CliError('config', `${file} must hold one JSON object`)
}

/** @throws {@link UsageError} for settings that do not fit together. */
function checkTogether({ role, nodeUrl, hubUrl, clock, stateSync }: ServeConfig): void {
  if (role === 'validator' && nodeUrl === null)
    throw new UsageError('a validator needs --node-url, the address at which hub and peers reach it')
  if (clock === 'hub' && hubUrl === null) throw new UsageError('--clock hub needs --hub-url')
  if (stateSync && hubUrl === null)
    throw new UsageError('--state-sync true needs --hub-url, which names the peers')
  if (stateSync && role !== 'validator')
    throw new UsageError('--state-sync true needs --role validator: validators give storage to each other')
}

/** Whether nobody but programs of this machine can connect. */
export const isLoopbackBind = ({ host }: BindAddress): boolean =>
  // The system decides what a name below .localhost resolves to.
  isLoopbackHost(host.includes(':') ? `[${host}]` : host) && !host.endsWith('.localhost')

/** @throws {@link CliError} for a token that guards nothing, or that no caller can send. */
function checkToken({ bind, apiToken }: ServeConfig): void {
  if (apiToken !== null && !/^[\x21-\x7e]+$/.test(apiToken))
    throw new CliError('api_token', `${apiTokenVariable} must be printable ASCII characters without spaces`)
  if (isLoopbackBind(bind) || (apiToken !== null && apiToken.length >= apiTokenLengthMin)) return
  const problem = apiToken === null ? 'is not set' : `has ${apiToken.length} characters`
  throw new CliError(
    'api_token',
    `--bind ${bind.host} is open to other machines, and ${apiTokenVariable} ${problem}; it needs ${apiTokenLengthMin} characters at least`,
    { hint: `Make one with: export ${apiTokenVariable}=$(openssl rand -hex 32)` },
  )
}
