import type { Context, Hono } from 'hono'
import type { UnencodableValue } from '../protocol/encoding/index.ts'
import type { ChainClient } from './chain/client.ts'
import type { IndexerClient } from './chain/indexer.ts'
import type { Env, Settings } from './env.ts'
import type { CursorCodec } from './http/cursor.ts'
import type { Sealer } from './http/seal.ts'
import type { RelayerClient } from './relay/relayer.ts'
import type { AccountStore } from './stores/accounts.ts'
import type { ApiKeyStore } from './stores/api-keys.ts'
import type { AssetStore } from './stores/assets.ts'
import type { AuditLogStore } from './stores/audit-log.ts'
import type { ChainIndexStore } from './stores/chain-index.ts'
import type { DeadLetterStore } from './stores/dead-letters.ts'
import type { DeveloperStore } from './stores/developers.ts'
import type { DeviceStore } from './stores/devices.ts'
import type { DraftStore } from './stores/drafts.ts'
import type { FaucetSettingsStore } from './stores/faucet-settings.ts'
import type { IdempotencyKeyStore } from './stores/idempotency-keys.ts'
import type { ModuleStore } from './stores/modules.ts'
import type { NetworkStore } from './stores/network.ts'
import type { NodeRequestNonceStore } from './stores/node-request-nonces.ts'
import type { NodeStore } from './stores/nodes.ts'
import type { PreferencesStore } from './stores/preferences.ts'
import type { ProjectDecisionStore } from './stores/project-decisions.ts'
import type { ProjectFiguresStore } from './stores/project-figures.ts'
import type { ProjectLists } from './stores/project-lists.ts'
import type { ProjectVersionStore } from './stores/project-versions.ts'
import type { ProjectStore } from './stores/projects.ts'
import type { ReviewStore } from './stores/reviews.ts'
import type { SessionStore } from './stores/sessions.ts'
import type { SiweNonceStore } from './stores/siwe-nonces.ts'
import type { SubscriptionStore } from './stores/subscriptions.ts'
import type { TransactionStore } from './stores/transactions.ts'

export interface Services {
  siweNonces: SiweNonceStore
  sessions: SessionStore
  apiKeys: ApiKeyStore
  nodeRequestNonces: NodeRequestNonceStore
  idempotencyKeys: IdempotencyKeyStore
  modules: ModuleStore
  preferences: PreferencesStore
  developers: DeveloperStore
  accounts: AccountStore
  devices: DeviceStore
  subscriptions: SubscriptionStore
  drafts: DraftStore
  network: NetworkStore
  assets: AssetStore
  projects: ProjectStore
  projectLists: ProjectLists
  projectFigures: ProjectFiguresStore
  reviews: ReviewStore
  projectVersions: ProjectVersionStore
  projectDecisions: ProjectDecisionStore
  nodes: NodeStore
  faucetSettings: FaucetSettingsStore
  auditLog: AuditLogStore
  transactions: TransactionStore
  chainIndex: ChainIndexStore
  deadLetters: DeadLetterStore
  cursors: CursorCodec
  sealer: Sealer
  /** Null while no chain is configured. */
  chain: ChainClient | null
  /** Null while no chain or no key is configured. */
  relayer: RelayerClient | null
  /** Null while no chain or no contracts are configured. */
  indexer: IndexerClient | null
}

export const scopes = [
  'tasks:submit',
  'projects:read',
  'projects:write',
  'modules:write',
  'analytics:read',
] as const
export type Scope = (typeof scopes)[number]

/** Who calls, once the credential was checked. */
export type Principal =
  | { kind: 'session'; address: string; tokenHash: string; expiresAt: number }
  | { kind: 'api_key'; address: string; keyId: string; scopes: string[]; projectIds: string[] | null }
  | {
      kind: 'node'
      nodeId: string
      publicKey: string
      /** Whether the hub has approved a node with this key: anybody can make keys. */
      registered: boolean
    }

/** What the RateLimit headers of the response say. */
export interface RateLimitReport {
  limit: number
  remaining: number
  resetSeconds: number
}

export interface HubVariables {
  requestId: string
  settings: Settings
  services: Services
  principal: Principal | null
  rateLimit: RateLimitReport | undefined
  /** The body's bytes once read; a stream can be read only once and two checks need it. */
  body: Uint8Array | undefined
  /** Values without canonical form in the member of the body that may hold them. */
  unencodable: readonly UnencodableValue[] | undefined
}

export type HubBindings = { Bindings: Env; Variables: HubVariables }
export type HubContext = Context<HubBindings>
export type App = Hono<HubBindings>

export const unixNow = (): number => Math.floor(Date.now() / 1000)
