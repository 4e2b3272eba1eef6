import { hashText } from '../../keccak.ts'
import { signEvmDigest } from '../../secp256k1.ts'
import {
  buildTypedData,
  checkSignedBody,
  encodeType,
  hashAction,
  hashDomain,
  hashStruct,
  type PrimaryType,
  structs,
} from '../../typed-data.ts'
import type { TopicRunner } from '../topics.ts'

export const runTypedData: TopicRunner = (input) => {
  if (input.body !== undefined) {
    const { permit, ...expected } = input.expected
    const given = permit === undefined ? expected : { ...expected, permit_domain: permit.domain }
    const check = checkSignedBody(input.body, given, input.now)
    if (!check.ok) return { error: check.code }
    return { accepted: true, digest: check.digest, permit_digest: check.permit?.digest ?? null }
  }
  const primaryType: PrimaryType = input.primaryType
  const typed = buildTypedData(input.domain, primaryType, input.message)
  const { members } = structs[primaryType]
  const type = encodeType(primaryType, members)
  const digest = hashAction(typed.domain, primaryType, typed.message)
  return {
    type_string: type,
    type_hash: hashText(type),
    domain_separator: hashDomain(typed.domain),
    struct_hash: hashStruct(primaryType, members, typed.message),
    digest,
    signature: signEvmDigest(input.signer_key, digest),
  }
}
