import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parseChecksumAddress } from '../../../protocol/encoding/index.ts'
import { parseSiweMessage } from '../../../protocol/identity/index.ts'
import known from '../../../protocol/vectors/siwe.json'
import { services } from '../../services.ts'
import { client, expectRefusal } from '../../test/client.ts'
import { knownAnswers } from '../../test/known-answers.ts'
import { emptyTables } from '../../test/tables.ts'

const exchanges = knownAnswers(known)
  .filter(({ input }) => input.issued !== undefined)
  // This case needs a deployment without the local web hosts, which every hub lists.
  .filter(({ name }) => name !== 'own_text_domain_off_the_list')

const statuses: Record<string, number> = { invalid_field: 400, unauthorized: 401, bad_signature: 401 }

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await emptyTables('siwe_nonces')
})
afterEach(() => vi.useRealTimers())

describe('POST /v1/auth/siwe', () => {
  test.each(exchanges)('$name', async ({ input: { issued, domains, message, signature, now }, output }) => {
    if (issued !== null) await store(issued)
    vi.setSystemTime(now * 1000)
    const hosts = domains ?? [parseSiweMessage(issued.message).domain]
    const hub = client({ bindings: { WEB_HOSTS: hosts.join(',') } })
    const response = await hub.post('/v1/auth/siwe', { message, signature })
    if (output.error === undefined) {
      expect(response.status).toBe(200)
      return expect(await response.json()).toMatchObject(output)
    }
    await expectRefusal(response, `${statuses[output.error]} ${output.error}`)
  })
})

/** Stores a nonce as the nonce endpoint does, and uses it up where the case says so. */
async function store({ message, nonce, expires_at: expiresAt, used }: Issued): Promise<void> {
  const { siweNonces } = services(env)
  const { address, domain } = parseSiweMessage(message)
  const issuedAt = expiresAt - 300
  await siweNonces.insert({
    nonce,
    address: parseChecksumAddress(address) ?? '',
    domain,
    message,
    issuedAt,
    expiresAt,
  })
  if (used) await siweNonces.consume(nonce, issuedAt)
}

interface Issued {
  message: string
  nonce: string
  expires_at: number
  used: boolean
}
