import { checksumAddress } from '../../encoding/index.ts'
import {
  checkSiweExchange,
  formatSiweMessage,
  formatTimestamp,
  parseSiweMessage,
} from '../../identity/index.ts'
import { hashPersonalMessage, signPersonalMessage } from '../../signatures/index.ts'
import type { TopicRunner } from '../runner.ts'

export const runSiwe: TopicRunner = (input, { profile }) => {
  if (input.issued === undefined) {
    const message = formatSiweMessage({
      scheme: null,
      domain: input.domain,
      address: checksumAddress(input.address),
      statement: input.statement,
      uri: input.uri,
      version: '1',
      chainId: input.chain_id,
      nonce: input.nonce,
      issuedAt: formatTimestamp(input.issued_at),
      expirationTime: formatTimestamp(input.expires_at),
      notBefore: null,
      requestId: null,
      resources: null,
    })
    return {
      message,
      digest: hashPersonalMessage(message),
      signature: signPersonalMessage(input.signer_key, message),
    }
  }
  const result = checkSiweExchange(profile, {
    issued: input.issued,
    domains: input.domains ?? [parseSiweMessage(input.issued.message).domain],
    message: input.message,
    signature: input.signature,
    now: input.now,
  })
  if (result.status === 'signed_in') return { address: result.address, expires_at: result.expires_at }
  return { error: result.status === 'refused' ? result.code : result.withoutCode }
}
