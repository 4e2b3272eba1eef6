import { randomBytes } from 'node:crypto'
import { type Profile, signRequest } from '../../protocol/identity/index.ts'
import { unixNow } from './sign-in.ts'

/** A call that a device makes itself: the headers carry the signature of its key. */
export const signedByNode =
  (profile: Profile, seed: string) =>
  <Body>(method: string, target: string, body: Body) => {
    const { headers } = signRequest(profile, seed, {
      method,
      target,
      body: JSON.stringify(body),
      timestamp: unixNow(),
      nonce: randomBytes(16).toString('hex'),
    })
    return { headers, body }
  }
