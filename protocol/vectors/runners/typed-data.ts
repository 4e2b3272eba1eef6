import {
  buildTypedData,
  checkSignedBody,
  hashAction,
  type PrimaryType,
  structs,
} from '../../actions/index.ts'
import { hashText } from '../../encoding/index.ts'
import { encodeType, hashDomain, hashStruct, signEvmDigest } from '../../signatures/index.ts'
import type { TopicRunner } from '../runner.ts'

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
