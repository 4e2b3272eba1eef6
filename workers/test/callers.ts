import { env } from 'cloudflare:workers'
import { unixNow } from '../../durable-objects/clock.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import {
  createBindingRecord,
  deriveNodeId,
  resolveProfile,
  signRequest,
  siweSessionSeconds,
} from '../../protocol/identity/index.ts'
import { type Ed25519Signer, evmAddress, signPersonalMessage } from '../../protocol/signatures/index.ts'
import { randomSecret } from '../auth/random.ts'
import { hashSecret } from '../middleware/authenticate.ts'
import { nativeSigner } from '../native-ed25519.ts'
import { services } from '../services.ts'
import { type Client, client } from './client.ts'
import { runSql } from './tables.ts'

/** The time that the hub of these tests dates by, which may be ahead of the machine's; Unix seconds. */
export const networkNow = (): Promise<number> => services(env).clock.now()

export interface Wallet {
  address: string
  sign: (message: string) => string
}

export function createWallet(key: string = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))): Wallet {
  return { address: evmAddress(key), sign: (message) => signPersonalMessage(key, message) }
}

/** A wallet that signs nothing. */
export const createAddress = () => ({ address: bytesToHex(crypto.getRandomValues(new Uint8Array(20))) })

/** A wallet with a session, as signing in leaves it. That the endpoints do so is for the tests of `routes/auth`. */
export const signIn = <Of extends { address: string } = { address: string }>(
  wallet: Of = createAddress() as Of,
): Promise<Of & { token: string; client: Client }> => signInWith(wallet, [])

/** The same, with statements that write what else there is of the wallet. */
export async function signInWith<Of extends { address: string }>(
  wallet: Of,
  statements: readonly D1PreparedStatement[],
): Promise<Of & { token: string; client: Client }> {
  const token = resolveProfile().session_token_prefix + randomSecret()
  const createdAt = unixNow()
  await env.DB.batch([
    env.DB.prepare(
      'INSERT INTO sessions (token_hash, address, created_at, expires_at) VALUES (?, ?, ?, ?)',
    ).bind(hashSecret(token), wallet.address, createdAt, createdAt + siweSessionSeconds),
    ...statements,
  ])
  return { ...wallet, token, client: client({ token }) }
}

/** A signed-in operator of a hub that has no other. */
export async function createOperator(): Promise<{ address: string; client: Client; token: string }> {
  const { address, token } = await signIn()
  return { address, token, client: client({ token, bindings: { OPERATOR_ADDRESSES: address } }) }
}

export const freshNonce = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)

export interface TestNode {
  seed: string
  /** Signs with the seed, by the runtime. */
  key: Ed25519Signer
  publicKey: string
  nodeId: string
  /** A request signed with the node's key. */
  call: (method: string, path: string, json?: unknown) => Promise<Response>
}

const freshSeed = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

/** A node of its own, or the one of a seed, of the network of the hub it talks to. */
export function createNode(hub: Parameters<typeof client>[0] = {}, seed = freshSeed()): TestNode {
  const profile = resolveProfile(JSON.parse(hub.bindings?.PROFILE ?? '{}'))
  const key = nativeSigner(seed)
  const { publicKey } = key
  const caller = client(hub)
  return {
    seed,
    key,
    publicKey,
    nodeId: deriveNodeId(profile, publicKey),
    call: async (method, path, json) => {
      const body = json === undefined ? '' : JSON.stringify(json)
      const { headers } = signRequest(profile, key, {
        method,
        target: path,
        body,
        timestamp: await networkNow(),
        nonce: freshNonce(),
      })
      return caller.fetch(path, { method, headers, ...(json !== undefined && { json }) })
    },
  }
}

/** Makes a key one that the hub knows: an approved miner's. */
export const insertNode = (
  { nodeId, publicKey }: Pick<TestNode, 'nodeId' | 'publicKey'>,
  { role = 'miner', status = 'approved' } = {},
) =>
  runSql(
    "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, ?, ?, 'https://node.example', 1)",
    ...[nodeId, publicKey, role, status],
  )

const profile = resolveProfile()

type Fields = Partial<Parameters<typeof createBindingRecord>[1]>

/** A record of this owner and device as both sign it; `signers` leaves signatures out. */
export function deviceRecord(
  owner: { key: string; address: string },
  device: TestNode,
  fields: Fields = {},
  signers: { owner?: boolean; node?: boolean } = {},
) {
  return createBindingRecord(
    profile,
    {
      action: 'bind',
      owner: owner.address,
      public_key: device.publicKey,
      issued_at: Math.floor(Date.now() / 1000),
      nonce: freshNonce(),
      ...fields,
    },
    {
      ownerKey: signers.owner === false ? null : owner.key,
      nodeKey: signers.node === false ? null : device.key,
    },
  )
}

/** A wallet whose key is at hand, to sign records and typed data with. */
function createKeptWallet() {
  const key = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
  return { key, ...createWallet(key) }
}

export const createOwner = () => signIn(createKeptWallet())

/** A signed-in wallet with a device of its own, bound as the endpoint binds it. @param more - What else is written of it. */
export async function createMiner(
  more: (owner: { address: string }, device: TestNode) => readonly D1PreparedStatement[] = () => [],
) {
  const wallet = createKeptWallet()
  const device = createNode()
  const record = deviceRecord(wallet, device, { issued_at: await networkNow() })
  const { binding_hash, node_id, public_key, owner, message, issued_at, nonce } = record
  const statements = [
    env.DB.prepare(
      'INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at) VALUES (?, ?, ?, ?, ?)',
    ).bind(node_id, public_key, owner, binding_hash, issued_at),
    env.DB.prepare(
      `INSERT INTO bindings (action, binding_hash, node_id, public_key, owner, message, nonce, owner_signature, node_signature,
        issued_at, accepted_at) VALUES ('bind', ?, ?, ?, ?, ?, ?, ?, ?, ?9, ?9)`,
    ).bind(
      ...[binding_hash, node_id, public_key, owner, message, nonce],
      ...[record.owner_signature, record.node_signature, issued_at],
    ),
    ...more(wallet, device),
  ]
  return { owner: await signInWith(wallet, statements), device }
}
