import { isBytes32 } from '../../../../protocol/encoding/index.ts'
import { deriveNodeId, type Profile } from '../../../../protocol/identity/index.ts'
import { isEd25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { invalidAnswer } from './hub-error.ts'
import { Members } from './members.ts'
import { peerUrlProblem } from './peer-url.ts'

export interface Validator {
  readonly nodeId: string
  readonly publicKey: string
  /** Null for one that must not be called: it votes like any other. */
  readonly url: string | null
}

/** The validators of a network, as its hub names them. */
export interface ValidatorList {
  readonly validators: readonly Validator[]
  /** One line for each that is not called, and why. */
  readonly problems: readonly string[]
}

/** More than any network has; the answer is bounded anyway. */
const validatorsMax = 4096

/**
 * Reads a list of validators. A key that is none, that is there twice, or that has another node id spoils the whole list:
 * quorums are counted by keys. An address that must not be called spoils one entry.
 *
 * @throws {@link HubError}
 */
export function readValidators(answer: unknown, profile: Profile, isLocalNetwork: boolean): ValidatorList {
  const problems: string[] = []
  const seen = new Set<string>()
  const validators = new Members(answer).objects('validators', validatorsMax).map((item): Validator => {
    const publicKey = item.get('public_key', isKey, 'an ed25519 key')
    const nodeId = item.text('node_id')
    if (nodeId !== deriveNodeId(profile, publicKey))
      throw invalidAnswer(`the hub lists the validator ${publicKey} as ${nodeId}, which is another node's id`)
    if (seen.has(publicKey)) throw invalidAnswer(`the hub lists the validator ${nodeId} twice`)
    seen.add(publicKey)
    const url = item.text('url')
    const problem = peerUrlProblem(url, isLocalNetwork)
    if (problem !== null)
      problems.push(`the validator ${nodeId} is not called: its address ${url} ${problem}`)
    return { nodeId, publicKey, url: problem === null ? url : null }
  })
  return { validators, problems }
}

const isKey = (value: unknown): value is string => isBytes32(value) && isEd25519PublicKey(value)
