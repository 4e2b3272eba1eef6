import { type Hex, isEvmSignature, isObject } from '../encoding/index.ts'
import { checkEvmSignature, type TypedDataDomain, type TypedMessage } from '../signatures/index.ts'
import { hashAction, permittedAmount, structs } from './signed-actions.ts'
import { checkTypedData, type ExpectedTypedData } from './typed-data.ts'

/** {@link ExpectedTypedData} of an action, and for a bond the domain of the permit beside it. */
export interface ExpectedAction extends ExpectedTypedData {
  readonly permit_domain?: TypedDataDomain
}

/** A signed struct that passed: its members as the server rebuilds them, digest and normalised signature. */
export interface AcceptedSignature {
  readonly message: TypedMessage
  readonly digest: Hex
  readonly signature: Hex
}

/** An accepted body, or the first check that failed and where. */
export type SignedBodyCheck =
  | ({ readonly ok: true; readonly permit: AcceptedSignature | null } & AcceptedSignature)
  | { readonly ok: false; readonly code: 'invalid_field' | 'bad_signature'; readonly path: string }

/**
 * Checks a signed body `{typed_data, signature, permit?, permit_signature?}` in the order of section 8: the forms, domain
 * and types; the message; fixed members; the deadline, all `invalid_field`; then the signer over the digest of the
 * server's own rebuild, else `bad_signature`. A permit beside a bond passes each stage after the action itself.
 *
 * Read the body strictly first (section 2). Checks that need the chain come after this: the nonces are current, else
 * `conflict`; the balance covers a bond, else `insufficient_collateral`.
 * @param now Unix seconds.
 */
export function checkSignedBody(body: unknown, expected: ExpectedAction, now: number): SignedBodyCheck {
  const refused = (path: string): SignedBodyCheck => ({ ok: false, code: 'invalid_field', path })
  if (!isObject(body)) return refused('')
  const { typed_data, signature, permit: permitOrNull, permit_signature, ...unknown } = body
  const [extra] = Object.keys(unknown)
  if (extra !== undefined) return refused(extra)
  if (!isEvmSignature(signature)) return refused('signature')
  const hasPermit = (permitOrNull ?? null) !== null
  if (hasPermit && expected.permit_domain === undefined) return refused('permit')
  if (hasPermit ? !isEvmSignature(permit_signature) : (permit_signature ?? null) !== null)
    return refused('permit_signature')

  const action = checkTypedData(typed_data, expected, now)
  if (!action.ok) return refused(joinParts('typed_data', action.path))
  const permitExpected = hasPermit ? permitBeside(expected, action.message) : null
  const permit = permitExpected === null ? null : checkTypedData(permitOrNull, permitExpected, now)
  if (permit !== null && !permit.ok) return refused(joinParts('permit', permit.path))

  const signed = checkSigner(expected, action.message, signature)
  if (signed === null) return { ok: false, code: 'bad_signature', path: 'signature' }
  if (permitExpected === null || permit === null) return { ok: true, permit: null, ...signed }
  const permitSigned = checkSigner(permitExpected, permit.message, permit_signature)
  if (permitSigned === null) return { ok: false, code: 'bad_signature', path: 'permit_signature' }
  return { ok: true, permit: permitSigned, ...signed }
}

/** The permit that lets the contract take exactly what is bonded. */
function permitBeside(bond: ExpectedAction, message: TypedMessage): ExpectedTypedData {
  return {
    primaryType: 'Permit',
    domain: bond.permit_domain!,
    message: {
      owner: message.owner!,
      spender: bond.domain.verifyingContract,
      value: permittedAmount(bond.primaryType, message)!,
    },
  }
}

function checkSigner(
  { primaryType, domain }: ExpectedTypedData,
  message: TypedMessage,
  signature: unknown,
): AcceptedSignature | null {
  const digest = hashAction(domain, primaryType, message)
  const signer = message[structs[primaryType].members[0].name] as string
  const check = checkEvmSignature(digest, signature, signer)
  return check.ok ? { message, digest, signature: check.normalized } : null
}

const joinParts = (head: string, rest: string): string => (rest === '' ? head : `${head}.${rest}`)
