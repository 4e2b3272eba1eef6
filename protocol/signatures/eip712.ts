import {
  bytesToHex,
  concatBytes,
  FormatError,
  type Hex,
  hashBytes,
  hashText,
  isAddress,
  isAmount,
  isBytes32,
  isUnsigned,
  isWellFormedText,
  keccakBytes,
  keccakList,
  raw20,
  raw32,
  unsignedBytes,
  utf8,
} from '../encoding/index.ts'

type ValueType = 'address' | 'bytes32' | 'string' | 'uint32' | 'uint256'

/** The member types that occur: no struct has another in it. */
export type MemberType = ValueType | 'bytes32[]' | 'uint256[]'

/** One member of a struct. */
export interface StructMember {
  readonly name: string
  readonly type: MemberType
}

/** The domain of section 8: exactly these four members, in this order. */
export interface TypedDataDomain {
  readonly name: string
  readonly version: '1'
  readonly chainId: number
  readonly verifyingContract: string
}

/** One value. Integers are decimal strings or safe integers. */
type Value = string | number

/** The value of a member. */
export type MemberValue = Value | readonly Value[]

/** The members of a message. */
export type TypedMessage = Readonly<Record<string, MemberValue>>

/** Most entries of a list in a message. */
export const listEntriesMax = 200

/** The members of `EIP712Domain`, in the order they are hashed. */
export const domainMembers: readonly StructMember[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** Writes the type of a flat struct: `Name(type member,…)`. */
export function encodeType(primaryType: string, members: readonly StructMember[]): string {
  return `${primaryType}(${members.map(({ name, type }) => `${type} ${name}`).join(',')})`
}

/**
 * Hashes a flat struct: `H(H(type) ‖ member ‖ …)`, 32 bytes each. Texts enter as the hash of their UTF-8 bytes, lists as
 * that of their entries, all others padded on the left.
 * @throws {@link FormatError} naming the member that does not fit its type.
 */
export function hashStruct(
  primaryType: string,
  members: readonly StructMember[],
  message: TypedMessage,
): Hex {
  const encoded = members.map((member) => encodeMember(member, message[member.name]))
  return bytesToHex(keccakList([keccakBytes(utf8(encodeType(primaryType, members))), ...encoded]))
}

/** Hashes a domain: its `hashStruct` as `EIP712Domain`. Throws {@link FormatError}. */
export function hashDomain(domain: TypedDataDomain): Hex {
  return hashStruct('EIP712Domain', domainMembers, { ...domain })
}

/** The digest a wallet signs: `H(0x1901 ‖ domainSeparator ‖ hashStruct(message))`. Throws {@link FormatError}. */
export function hashTypedData(
  domain: TypedDataDomain,
  primaryType: string,
  members: readonly StructMember[],
  message: TypedMessage,
): Hex {
  return hashBytes(
    Uint8Array.of(0x19, 0x01),
    raw32(hashDomain(domain)),
    raw32(hashStruct(primaryType, members, message)),
  )
}

/**
 * Whether a value fits its member's type: lower-case hex, and integers as decimal string or safe integer below 2^bits. A list has 1 to
 * {@link listEntriesMax} of them.
 */
export function fitsMember({ type }: StructMember, value: unknown): value is MemberValue {
  const entryType = entryTypeOf(type)
  if (entryType === null) return fitsType(type as ValueType, value)
  const isList = Array.isArray(value) && value.length > 0 && value.length <= listEntriesMax
  return isList && value.every((entry) => fitsType(entryType, entry))
}

/** The type of a list's entries; null for a type that is not a list. */
export const entryTypeOf = (type: MemberType): ValueType | null =>
  type.endsWith('[]') ? (type.slice(0, -2) as ValueType) : null

function fitsType(type: ValueType, value: unknown): value is Value {
  switch (type) {
    case 'address':
      return isAddress(value)
    case 'bytes32':
      return isBytes32(value)
    case 'string':
      return isWellFormedText(value)
    default:
      return (
        (isUnsigned(value) || isAmount(value)) && BigInt(value) >> BigInt(type.slice('uint'.length)) === 0n
      )
  }
}

function encodeMember(member: StructMember, value: unknown): Uint8Array {
  if (!fitsMember(member, value)) throw new FormatError(member.name, `a value of type ${member.type}`)
  const entryType = entryTypeOf(member.type)
  if (entryType === null) return encodeValue(member.type as ValueType, value as Value, member.name)
  return keccakList((value as readonly Value[]).map((entry) => encodeValue(entryType, entry, member.name)))
}

function encodeValue(type: ValueType, value: Value, name: string): Uint8Array {
  switch (type) {
    case 'address':
      return concatBytes(new Uint8Array(12), raw20(value as string))
    case 'bytes32':
      return raw32(value as string)
    case 'string':
      return raw32(hashText(value as string))
    default:
      return unsignedBytes(BigInt(value), 32, name)
  }
}
