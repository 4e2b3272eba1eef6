import { hasExactKeys, isObject } from '../encoding/index.ts'
import {
  domainMembers,
  entryTypeOf,
  fitsMember,
  type MemberValue,
  type StructMember,
  type TypedDataDomain,
  type TypedMessage,
} from '../signatures/index.ts'
import { type PrimaryType, structs } from './signed-actions.ts'

/** Longest time a deadline may lie ahead. */
const deadlineSecondsMax = 604_800

/** The typed data that the server builds for an endpoint, an account and a chain. */
export interface ExpectedTypedData {
  readonly primaryType: PrimaryType
  readonly domain: TypedDataDomain
  /** Members fixed by the path, the account or the stored manifest; the first member of the struct is always one. */
  readonly message: TypedMessage
}

/** A path that does not fit, or the message as the server rebuilds it. */
export type TypedDataCheck =
  | { readonly ok: true; readonly message: TypedMessage }
  | { readonly ok: false; readonly path: string }

/**
 * Checks posted or received typed data against what the server, or the signer itself, builds (section 8):
 *
 * 1. domain, primary type and types are equal; `EIP712Domain` may be left out of the types;
 * 2. the message has exactly the members of the struct, each fitting its type, and its lists are of one length;
 * 3. fixed members are equal, integers by value;
 * 4. `now < deadline ≤ now + 604800`.
 *
 * Only the free members of the posted message count: everything else is the server's own.
 * A signer calls it with the descriptor's chain and contracts and its own request before it signs.
 * @param now Unix seconds.
 */
export function checkTypedData(posted: unknown, expected: ExpectedTypedData, now: number): TypedDataCheck {
  const path = findFormProblem(posted, expected)
  if (path !== null) return { ok: false, path }
  const members: readonly StructMember[] = structs[expected.primaryType].members
  const message = normalizeMessage(members, (posted as { message: TypedMessage }).message)
  const fixed = Object.entries(expected.message)
  const differing = fixed.find(([name, value]) => String(message[name]) !== String(value))
  if (differing !== undefined) return { ok: false, path: `message.${differing[0]}` }
  const deadline = BigInt(String(message.deadline))
  if (deadline <= BigInt(now) || deadline > BigInt(now + deadlineSecondsMax))
    return { ok: false, path: 'message.deadline' }
  return { ok: true, message }
}

function findFormProblem(posted: unknown, { primaryType, domain }: ExpectedTypedData): string | null {
  if (!isObject(posted) || !hasExactKeys(posted, ['domain', 'types', 'primaryType', 'message'])) return ''
  if (posted.primaryType !== primaryType) return 'primaryType'
  if (!isSameRecord(posted.domain, { ...domain })) return 'domain'
  const members: readonly StructMember[] = structs[primaryType].members
  const types = posted.types
  if (!isObject(types)) return 'types'
  const { EIP712Domain: domainType, [primaryType]: type, ...others } = types
  if (domainType !== undefined && !isSameList(domainType, domainMembers)) return 'types.EIP712Domain'
  if (!isSameList(type, members) || Object.keys(others).length > 0) return 'types'
  const message = posted.message
  const names = members.map((member) => member.name)
  if (!isObject(message) || !hasExactKeys(message, names)) return 'message'
  const lists = members.filter(({ type }) => entryTypeOf(type) !== null)
  const lengthOf = ({ name }: StructMember) => (message[name] as readonly unknown[]).length
  const misfit =
    members.find((member) => !fitsMember(member, message[member.name])) ??
    lists.find((list) => lengthOf(list) !== lengthOf(lists[0]!))
  return misfit === undefined ? null : `message.${misfit.name}`
}

/** One spelling per value: 256-bit integers as decimal strings, shorter ones as numbers. */
function normalizeMessage(members: readonly StructMember[], message: TypedMessage): TypedMessage {
  const normalized = members.map(({ name, type }) => {
    const value = message[name]!
    const entryType = entryTypeOf(type)
    if (entryType === null) return [name, normalizeValue(type, value)]
    return [name, (value as readonly (string | number)[]).map((entry) => normalizeValue(entryType, entry))]
  })
  return Object.fromEntries(normalized) as TypedMessage
}

function normalizeValue(type: string, value: MemberValue): MemberValue {
  if (type === 'uint256') return String(value)
  return type === 'uint32' ? Number(value) : value
}

function isSameList(posted: unknown, expected: readonly StructMember[]): boolean {
  return (
    Array.isArray(posted) &&
    posted.length === expected.length &&
    expected.every((member, i) => isSameRecord(posted[i], { ...member }))
  )
}

function isSameRecord(posted: unknown, expected: Record<string, unknown>): boolean {
  return (
    isObject(posted) &&
    hasExactKeys(posted, Object.keys(expected)) &&
    Object.entries(expected).every(([key, value]) => posted[key] === value)
  )
}
