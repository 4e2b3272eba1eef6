import { keccak256, toBytes } from 'viem'
import { expect, test } from 'vitest'
import { resolveProfile } from '../../../protocol/identity/index.ts'
import { verifyEd25519 } from '../../../protocol/signatures/index.ts'
import { createMembers } from '../../test/attested-set.ts'
import { networkNow } from '../../test/callers.ts'
import { bodyOf, client } from '../../test/client.ts'
import { createProject, createValidators, submitReceipt } from '../../test/epochs.ts'
import { publishRound, right } from '../../test/final-rounds.ts'

type Json = Record<string, unknown>

const validators = await createValidators(4)
const members = await createMembers(3)
const { prefix } = resolveProfile()
const { components } = await bodyOf<{ components: { schemas: Record<string, Json> } }>(
  client().get('/v1/openapi.json'),
)
const membersOf = (schema: string) => Object.keys(components.schemas[schema]?.properties ?? {})

/** Canonical JSON, as the document describes it in a sentence. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}

/** The hash of a receipt, as its description defines it. */
const hashOf = (receipt: Json, names: readonly string[]) =>
  keccak256(toBytes(canonical(Object.fromEntries(names.map((name) => [name, receipt[name]])))))

const lookup = async (hash: string) =>
  (await bodyOf<{ receipt: Json }>(client().get(`/v1/explorer/receipts/${hash}`))).receipt

test('the hash and the signature of a result can be verified as the documentation describes', async () => {
  const { round } = await publishRound({
    ...{ members, deeds: [right, right, right], validators, issuedAt: await networkNow() },
  })
  const envelope = await lookup(round.receiptHash ?? '')
  const names = membersOf('ExecutionReceipt')
  expect(names).toHaveLength(8)
  const hash = hashOf(envelope.receipt as Json, names)
  expect(hash).toBe(round.receiptHash)
  const text = `${prefix}-receipt-v1:${hash}`
  expect(components.schemas.ExecutionReceipt?.description).toContain(`\`${prefix}-receipt-v1:\``)
  expect(verifyEd25519(String(envelope.public_key), text, String(envelope.signature))).toBe(true)
})

test('the hash and the signatures of an epoch receipt can be verified as the documentation describes', async () => {
  const { receipt_hash } = await submitReceipt(await createProject(), { by: validators })
  const receipt = await lookup(receipt_hash)
  const names = membersOf('AttestedEpochReceipt')
  const hash = hashOf(
    receipt,
    names.filter((name) => name !== 'receipt_hash' && name !== 'attestations'),
  )
  expect(hash).toBe(receipt_hash)
  const text = `${prefix}-reward-v2:${hash}`
  expect(components.schemas.AttestedEpochReceipt?.description).toContain(`\`${prefix}-reward-v2:\``)
  for (const { public_key, signature } of receipt.attestations as { public_key: string; signature: string }[])
    expect(verifyEd25519(public_key, text, signature)).toBe(true)
})
