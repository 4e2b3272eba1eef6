import type { RequestSignature } from '../../protocol/identity/index.ts'
import type { Ticket } from '../link/tickets.ts'

export const scopes = [
  'tasks:submit',
  'projects:read',
  'projects:write',
  'modules:write',
  'analytics:read',
] as const
export type Scope = (typeof scopes)[number]

/** The credential that a bearer token names, before it is checked. */
export type Credential =
  | { kind: 'session'; tokenHash: string }
  | { kind: 'api_key'; keyId: string; secretHash: string }

/** The signature of a node, its form checked and nothing else. */
export interface NodeClaim {
  kind: 'node'
  signature: RequestSignature
}

/** The caller that a request names, before that is checked. */
export type Claim = Credential | NodeClaim

export type Principal =
  | { kind: 'session'; address: string; tokenHash: string; expiresAt: number }
  | { kind: 'api_key'; address: string; keyId: string; scopes: string[]; projectIds: string[] | null }
  | {
      kind: 'node'
      nodeId: string
      publicKey: string
      /** Whether collateral or an operator vouches for it: anybody can make keys. */
      vouched: boolean
      signature: Pick<RequestSignature, 'nonce' | 'timestamp'>
      /** The ticket with which the node came back to its link; null if the key was looked up in the records. */
      ticket: Ticket | null
    }

/** The wallet or the node behind a caller: one address for all sessions and API keys of a wallet, or the node's public key. */
export const holderOf = (principal: Principal): string =>
  principal.kind === 'node' ? principal.publicKey : principal.address

/** Tells callers apart without any secret, because names of budgets appear in logs. A key is not its owner: what one key was answered may be about projects that another is not for. */
export const callerIdOf = (principal: Principal): string =>
  principal.kind === 'api_key' ? principal.keyId : holderOf(principal)
