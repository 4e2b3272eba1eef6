/** What an API key may be allowed to do. */
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
