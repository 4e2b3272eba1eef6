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

/** What a bearer token names, before it is checked. */
export type Credential =
  | { kind: 'session'; tokenHash: string }
  | { kind: 'api_key'; keyId: string; secretHash: string }

/** The signature of a node, its form checked and nothing else. */
export interface NodeClaim {
  kind: 'node'
  signature: RequestSignature
}

/** What a request says of its caller, before that is checked. */
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
      /** What its node came back to its link with; null where the records were asked for the key. */
      ticket: Ticket | null
    }

/** Who is behind a caller: a wallet, whichever of its sessions and keys it uses, or a node. */
export const holderOf = (principal: Principal): string =>
  principal.kind === 'node' ? principal.publicKey : principal.address

/** Tells callers apart without any secret, because names of budgets appear in logs. A key is not its owner: what one key was answered may be about projects that another is not for. */
export const callerIdOf = (principal: Principal): string =>
  principal.kind === 'api_key' ? principal.keyId : holderOf(principal)
