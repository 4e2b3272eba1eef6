/** What a wallet that wants to harm sends: everything that costs the hub something, as often as it costs the wallet nothing. */
import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { manifestLike } from '../../localnet/sample/manifest.ts'
import { type GaslessPayload, hashAction } from '../../protocol/actions/index.ts'
import { packArtifact } from '../../protocol/hbc/artifact.ts'
import { echoManifest, echoWasm } from '../../protocol/hbc/testing/artifacts.ts'
import {
  createBindingRecord,
  deriveNodeId,
  deriveProjectId,
  deriveVaultAddress,
  type Profile,
  signRequest,
} from '../../protocol/identity/index.ts'
import { signManifest } from '../../protocol/manifest/index.ts'
import { ed25519PublicKey, signEvmDigest } from '../../protocol/signatures/index.ts'

export interface HarmfulWallet {
  key: string
  address: string
  token: string
}

/** What the attack knows of the network. */
export interface Target {
  profile: Profile
  /** Host for which wallets sign in. */
  host: string
  /** A listed project. */
  projectId: string
  /** An uploaded module that may be a worker. */
  worker: string
  contracts: { token: string; vault_factory: string; vault_implementation: string }
}

export interface Call {
  name: string
  method: string
  path: string
  headers?: Record<string, string>
  json?: unknown
  body?: Uint8Array
  /** What follows from an answer that was no error. */
  next?: (answer: Record<string, unknown>) => Call
}

const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`
const word = (): string => randomBytes(6).toString('hex')
const now = (): number => Math.floor(Date.now() / 1000)

const read = (name: string, path: string) => (wallet: HarmfulWallet) => as(wallet, name, 'GET', path)

function as(wallet: HarmfulWallet, name: string, method: string, path: string, json?: unknown): Call {
  const headers = { Authorization: `Bearer ${wallet.token}` }
  return { name, method, path, headers, ...(json !== undefined && { json }) }
}

type MakeCall = (wallet: HarmfulWallet, target: Target) => Call

/** Each with how often it comes among a hundred. */
export const calls: readonly (readonly [number, MakeCall])[] = [
  [4, ({ address }, { host }) => anonymous('sign-in', 'POST', '/v1/auth/nonce', { address, domain: host })],
  [2, () => anonymous('sign-in', 'POST', '/v1/auth/siwe', { message: 'x'.repeat(4096), signature: hex(65) })],
  [5, guessedToken],
  [3, (_, target) => signedByFreshNode(target, 'GET', '/v1/status')],
  [3, () => ({ ...anonymous('junk node header', 'GET', '/v1/status'), headers: { 'X-Hub-Node': word() } })],
  [6, () => anonymous('anonymous read', 'GET', '/v1/projects')],
  [8, (wallet) => as(wallet, 'search', 'GET', `/v1/projects?q=${word().slice(0, 2)}%20e&sort=earnings`)],
  [6, (wallet, { projectId }) => as(wallet, 'read', 'GET', `/v1/projects/${projectId}/stats`)],
  [4, read('read', '/v1/me')],
  [4, read('read', '/v1/me/collateral')],
  [4, read('read', '/v1/modules?limit=200')],
  [5, (wallet) => as(wallet, 'draft', 'POST', '/v1/developers/me/drafts', draftOf(200 * 1024))],
  [4, (wallet) => as(wallet, 'draft', 'PUT', `/v1/developers/me/drafts/${word()}`, draftOf(1024))],
  [4, (wallet) => as(wallet, 'preferences', 'PUT', '/v1/me/preferences', { display_name: word() })],
  [3, (wallet) => as(wallet, 'enrollment', 'POST', '/v1/developers/me/enrollment', enrollment)],
  [4, apiKeyMadeAndRevoked],
  [4, (wallet, { projectId }) => as(wallet, 'review', 'PUT', `/v1/projects/${projectId}/reviews`, review)],
  [3, (wallet) => as(wallet, 'faucet', 'POST', '/v1/faucet/drip')],
  [6, (wallet) => ({ ...as(wallet, 'image', 'POST', '/v1/developers/assets', noiseImage()) })],
  [4, (wallet) => as(wallet, 'module', 'POST', '/v1/modules', { hbc_b64: moduleOf(64 * 1024) })],
  [6, deviceSubscribed],
  [3, nodeRegistered],
  [5, projectRelayed],
]

function anonymous(name: string, method: string, path: string, json?: unknown): Call {
  return { name, method, path, ...(json !== undefined && { json }) }
}

const enrollment = { developer_type: 'individual', display_name: 'Mallory', agreements_accepted: true }
const review = { rating: 1, comment: 'x'.repeat(2000) }
const draftOf = (bytes: number) => ({ data: { text: 'x'.repeat(bytes) } })

function guessedToken(_: HarmfulWallet, { profile }: Target): Call {
  const token = `${profile.session_token_prefix}${randomBytes(32).toString('base64url')}`
  return {
    ...anonymous('guessed token', 'GET', '/v1/me'),
    headers: { Authorization: `Bearer ${token}` },
  }
}

function signed(
  target: Target,
  seed: string,
  name: string,
  method: string,
  path: string,
  json?: unknown,
): Call {
  const body = json === undefined ? '' : JSON.stringify(json)
  const nonce = randomBytes(16).toString('hex')
  const request = { method, target: path, body, timestamp: now(), nonce }
  const { headers } = signRequest(target.profile, seed, request)
  return { name, method, path, headers, ...(json !== undefined && { json }) }
}

const signedByFreshNode = (target: Target, method: string, path: string): Call =>
  signed(target, hex(32), 'fresh node key', method, path)

function nodeRegistered(_: HarmfulWallet, target: Target): Call {
  const registration = {
    url: 'https://node.example',
    role: 'miner',
    engine: 'native',
    nodectl_version: '1.0.0',
    capabilities: ['execute'],
  }
  return signed(target, hex(32), 'node registered', 'POST', '/v1/nodes/register', registration)
}

function apiKeyMadeAndRevoked(wallet: HarmfulWallet): Call {
  const path = '/v1/developers/api-keys'
  return {
    ...as(wallet, 'API key', 'POST', path, { name: 'harm', scopes: ['modules:write'] }),
    next: ({ key_id }) => as(wallet, 'API key', 'DELETE', `${path}/${key_id}`),
  }
}

/** A device of its own, bound, described and subscribed: the answer is prepared by asking the chain. */
function deviceSubscribed(wallet: HarmfulWallet, target: Target): Call {
  const { profile, projectId } = target
  const seed = hex(32)
  const publicKey = ed25519PublicKey(seed)
  const nodeId = deriveNodeId(profile, publicKey)
  const record = createBindingRecord(
    profile,
    {
      action: 'bind',
      owner: wallet.address,
      public_key: publicKey,
      issued_at: now(),
      nonce: randomBytes(16).toString('hex'),
    },
    { ownerKey: wallet.key, nodeSeed: seed },
  )
  const description = {
    class: 'server',
    platform: 'linux',
    arch: 'x64',
    engine: 'native',
    nodectl_version: '1.0.0',
    hardware: { cpu_cores: 4, ram_mb: 8192, storage_free_mb: 20_000 },
    benchmark: { suite: 'bench-v1', ran_at: now(), engine: 'native', cases: [], mgas_per_s: [], score: 100 },
  }
  const subscription = { project_id: projectId, node_id: nodeId, collateral: '1000000000000000000000' }
  return {
    ...anonymous('device bound', 'POST', '/v1/devices/bind', record),
    next: () => ({
      ...signed(target, seed, 'device described', 'PUT', `/v1/devices/${nodeId}/profile`, description),
      next: () => ({
        ...as(wallet, 'subscription', 'POST', '/v1/subscriptions', subscription),
        next: ({ subscription: made }) =>
          as(
            wallet,
            'bond prepared',
            'POST',
            `/v1/subscriptions/${(made as { subscription_id: string }).subscription_id}/bond-payload`,
            { amount: '1000000000000000000000' },
          ),
      }),
    }),
  }
}

/** A project of its own, submitted and registered on the chain at the hub's cost. */
function projectRelayed(wallet: HarmfulWallet, { profile, worker, contracts }: Target): Call {
  const slug = `harm-${word()}`
  const projectId = deriveProjectId(profile, wallet.address, slug)
  const manifest = manifestLike(
    { slug, name: 'Harm', tagline: 'Costs gas', description: 'x'.repeat(1000) },
    {
      profile,
      developer: wallet.address,
      worker,
      functions: ['echo'],
      token: contracts.token,
      vault: deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId),
    },
  )
  const submitted = { manifest, sig_type: 'eip191', signature: signManifest(wallet.key, manifest) }
  return {
    ...as(wallet, 'project', 'POST', '/v1/developers/projects', submitted),
    next: ({ register_by_sig }) => {
      const { typed_data } = register_by_sig as GaslessPayload
      const signature = signEvmDigest(
        wallet.key,
        hashAction(typed_data.domain, 'Register', typed_data.message),
      )
      const path = `/v1/developers/projects/${projectId}/register`
      return as(wallet, 'relayed action', 'POST', path, { typed_data, signature })
    },
  }
}

/** An artifact of this many bytes and a little that nobody has uploaded. */
function moduleOf(bytes: number): string {
  const name = Buffer.from('fill')
  const content = Buffer.concat([Buffer.from([name.length]), name, randomBytes(bytes)])
  const wasm = Buffer.concat([echoWasm, Buffer.from([0]), leb128(content.length), content])
  return Buffer.from(packArtifact({ ...echoManifest, name: word() }, wasm).bytes).toString('base64')
}

function leb128(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest & 127) | 128)
  }
}

/** A PNG of noise, which nobody has uploaded and nothing makes smaller. */
function noiseImage() {
  const side = 128
  const row = 1 + 3 * side
  const pixels = randomBytes(row * side)
  for (let at = 0; at < pixels.length; at += row) pixels[at] = 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const image = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
  return { content_type: 'image/png', data_b64: image.toString('base64') }
}

function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}
