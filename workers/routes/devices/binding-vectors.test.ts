import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBindingRecord, resolveProfile } from '../../../protocol/identity/index.ts'
import { ed25519PublicKey, evmAddress } from '../../../protocol/signatures/index.ts'
import known from '../../../protocol/vectors/binding.json'
import { bodyOf, client, errorOf } from '../../test/client.ts'
import { type Json, knownAnswers } from '../../test/known-answers.ts'
import { emptyTables } from '../../test/tables.ts'

const cases = knownAnswers(known)
const signed = cases.filter(({ input }) => input.check === undefined)
const checked = cases.filter(({ input }) => input.check !== undefined)

/** How the codes of section 9 travel. */
const answers: Record<string, object> = {
  invalid_binding: { status: 422, error: 'invalid_binding' },
  stale_binding: { status: 422, error: 'invalid_binding', details: { reason: 'stale_binding' } },
  bad_signature: { status: 422, error: 'bad_signature' },
}

const at = (seconds: number) => vi.setSystemTime(seconds * 1000)
const hubOf = ({ network, chain_id }: Json) =>
  client({ bindings: { PROFILE: JSON.stringify({ network, chain_id }) } })
const actionOf = ({ message }: Json) => (message.includes(': unbind ') ? 'unbind' : 'bind')

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await emptyTables('devices', 'bindings')
})
afterEach(() => vi.useRealTimers())

describe('POST /v1/devices/bind and /v1/devices/unbind', () => {
  test.each(checked)('$name', async ({ input: { check, record }, output }) => {
    const hub = hubOf(check)
    const action = actionOf(record)
    if (output.accepted && action === 'unbind') await bindFirst(hub, check)
    at(check.now)
    const response = await hub.post(`/v1/devices/${action}`, record)
    if (output.accepted) return expect(response.status).toBe(200)
    const refusal = await errorOf(response)
    // A member of another type is refused before the record is judged.
    if (typeof record.issued_at !== 'number')
      expect(refusal).toMatchObject({ status: 400, error: 'invalid_field' })
    else expect(refusal).toMatchObject(answers[output.error] ?? {})
  })

  test.each(signed)(
    '$name: the signed record is accepted and returned unchanged',
    async ({ input, output: { record } }) => {
      const hub = hubOf(input)
      const action = actionOf(record)
      if (action === 'unbind') await bindFirst(hub, { ...input, now: input.issued_at }, input)
      at(input.issued_at)
      expect((await hub.post(`/v1/devices/${action}`, record)).status).toBe(200)
      expect(await bodyOf(hub.get(`/v1/bindings/${record.binding_hash}`))).toEqual(record)
    },
  )
})

/** Binds the device of the first case, or of the one given, to its wallet. */
async function bindFirst(
  hub: ReturnType<typeof client>,
  { network, chain_id, now }: Json,
  { owner_key, node_seed }: Json = signed[0]?.input,
): Promise<void> {
  at(now)
  const record = createBindingRecord(
    { ...resolveProfile(), network, chain_id },
    {
      action: 'bind',
      owner: evmAddress(owner_key),
      public_key: ed25519PublicKey(node_seed),
      issued_at: now,
      nonce: 'b1'.repeat(16),
    },
    { ownerKey: owner_key, nodeKey: node_seed },
  )
  expect((await hub.post('/v1/devices/bind', record)).status).toBe(200)
}
