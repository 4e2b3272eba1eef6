import type { Profile } from './profile.ts'

/** Length of the random part of a session token, and of the secret of an API key: 32 bytes in base64url. */
export const secretLength = 43

/** Length of the id of an API key. */
export const apiKeyIdLength = 8

/** The shape of the id of an API key. */
export const apiKeyIdPattern = new RegExp(`^[A-Za-z0-9]{${apiKeyIdLength}}$`)

const secretPattern = new RegExp(`^[A-Za-z0-9_-]{${secretLength}}$`)

/** Whether a text has the shape of a session token: `<session_token_prefix>` + 43. */
export function isSessionToken({ session_token_prefix: prefix }: Profile, text: string): boolean {
  return text.startsWith(prefix) && secretPattern.test(text.slice(prefix.length))
}

/** The two parts of an API key. */
export interface ApiKeyParts {
  /** Public; the key is looked up by it. */
  readonly id: string
  readonly secret: string
}

/** Writes an API key: `<api_key_prefix>` + 8 + `_` + 43. */
export function formatApiKey({ api_key_prefix: prefix }: Profile, { id, secret }: ApiKeyParts): string {
  return `${prefix}${id}_${secret}`
}

/** Reads an API key. Returns null for a text of another shape. */
export function parseApiKey(profile: Profile, text: string): ApiKeyParts | null {
  const rest = text.slice(profile.api_key_prefix.length)
  const parts = { id: rest.slice(0, apiKeyIdLength), secret: rest.slice(apiKeyIdLength + 1) }
  const fits = apiKeyIdPattern.test(parts.id) && secretPattern.test(parts.secret)
  return fits && formatApiKey(profile, parts) === text ? parts : null
}
