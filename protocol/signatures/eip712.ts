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

/** The member types that occur; structs here are flat. */
export type MemberType = 'address' | 'bytes32' | 'string' | 'uint32' | 'uint256'

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

/** The members of a message. Integers are decimal strings or safe integers. */
export type TypedMessage = Readonly<Record<string, string | number>>

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
 * Hashes a flat struct: `H(H(type) ‖ member ‖ …)`, 32 bytes each. Texts enter as the hash of their UTF-8 bytes, all others
 * padded on the left.
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

/** Whether a value fits its member's type: lower-case hex, and integers as decimal string or safe integer below 2^bits. */
export function fitsMember({ type }: StructMember, value: unknown): value is string | number {
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
  switch (member.type) {
    case 'address':
      return concatBytes(new Uint8Array(12), raw20(value as string))
    case 'bytes32':
      return raw32(value as string)
    case 'string':
      return raw32(hashText(value as string))
    default:
      return unsignedBytes(BigInt(value), 32, member.name)
  }
}
