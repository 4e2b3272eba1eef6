import { json as readJson } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import type { Evidence } from '../protocol/slashing/index.ts'
import { keepFinal, knownEpoch, recordsOf } from '../testing/node/final-rounds.ts'
import { unixNow } from '../testing/node/hub-answers.ts'
import { expectLogged } from '../testing/node/serving-node.ts'
import {
  addValidator,
  patience,
  startTestHub,
  type TestValidator,
} from '../testing/node/validator-network.ts'
import { sendJson } from './src/serve/hub/testing/lying-hub.ts'
import { openServeStore } from './src/serve/store/index.ts'

const [final] = recordsOf(knownEpoch('per_unit'))

/** Evidence as it is kept; what it proves, the hub judges. */
const evidenceOf = (name: string, issuedAt: number, roundId = final!.round_id): Evidence => ({
  v: 1,
  kind: 'missed_sla',
  project_id: final!.project_id,
  epoch: final!.epoch,
  round_id: roundId,
  subscription_id: hashText(`subscription ${name}`),
  node_key: hashText(`key ${name}`),
  consensus_hash: hashText('rules'),
  proof: { task: { issued_at: issuedAt }, finality: [] },
})

/** A validator with evidence, that was in contact with the hub since {@link contactSeconds} ago. */
function keepEvidence({ dataDir }: TestValidator, evidence: readonly Evidence[], now: number): void {
  const store = openServeStore(dataDir)
  keepFinal(store, [final!], [])
  for (const one of evidence) store.evidence.keep(one, now)
  store.db.prepare('INSERT INTO hub_contact (first_at, last_at) VALUES (?, ?)').run(now - contactSeconds, now)
  store.close()
}

const contactSeconds = 1010

test('evidence is posted once for a final round, not for an open one or a time without the hub', async () => {
  const network = await startTestHub()
  const validator = await addValidator(network)
  const now = unixNow()
  const inContact = now - 1000
  const before = now - 9000
  const right = evidenceOf('right', inContact)
  const known = evidenceOf('known', inContact)
  const refused = evidenceOf('refused', inContact)
  const malformed = evidenceOf('malformed', inContact)
  const open = evidenceOf('open', inContact, `task:${hashText('an open round')}`)
  const withheld = evidenceOf('withheld', before)
  keepEvidence(validator, [withheld, open, right, known, refused, malformed], now)

  const posted: string[] = []
  let isBusy = true
  network.answers.set('/v1/slashes', async (request, response) => {
    expect(request.method).toBe('POST')
    const { node_key: key } = (await readJson(request)) as Evidence
    if (isBusy) {
      isBusy = false
      return sendJson(response, { error: 'unavailable', message: 'Not now.' }, 503)
    }
    posted.push(key)
    const refuse = (status: number, error: string) => sendJson(response, { error, message: 'No.' }, status)
    if (key === refused.node_key) return refuse(422, 'invalid_evidence')
    if (key === malformed.node_key) return refuse(400, 'invalid_field')
    sendJson(response, { slash_id: key }, key === known.node_key ? 200 : 201)
  })
  const node = await validator.start()
  // Evidence that the hub did not take at the moment comes after all others.
  const sent = [known, refused, malformed, right].map((one) => one.node_key)
  await expect.poll(() => posted, patience).toEqual(sent)
  // The hub counts what it receives; the node keeps an answer later, and then logs it.
  const answers = (message: string) => node.log().filter((line) => line.message === message).length
  await expect.poll(() => answers('the hub refuses evidence')).toBe(2)
  await expect.poll(() => answers('evidence posted')).toBe(2)
  await node.stop()

  const kept = openServeStore(validator.dataDir)
  expect(kept.evidence.waiting(0, 10).map(({ evidence, failures }) => [evidence.node_key, failures])).toEqual(
    [[refused.node_key, 1]],
  )
  const unposted = kept.db.prepare('SELECT evidence FROM evidence WHERE posted_at IS NULL ORDER BY id').all()
  expect(unposted.map(({ evidence }) => JSON.parse(String(evidence)).node_key)).toEqual(
    [withheld, open, refused, malformed].map((one) => one.node_key),
  )
  kept.close()
  expectLogged(node, {
    message: 'evidence is not posted: this node lost its hub during that round',
    node_key: withheld.node_key,
  })

  // Accepted evidence is not sent again; refused evidence is tried once more.
  const again = await validator.start()
  await expect.poll(() => posted, patience).toEqual([...sent, refused.node_key])
  await again.stop()
})

test('any amount of evidence that the hub may take later does not delay the evidence behind it', async () => {
  const network = await startTestHub()
  const validator = await addValidator(network)
  const now = unixNow()
  const refused = Array.from({ length: 150 }, (_, i) => evidenceOf(`refused ${i}`, now - 1000))
  const behind = evidenceOf('behind', now - 1000)
  keepEvidence(validator, [...refused, behind], now)
  const taken: string[] = []
  network.answers.set('/v1/slashes', async (request, response) => {
    expect(request.method).toBe('POST')
    const { node_key: key } = (await readJson(request)) as Evidence
    if (key !== behind.node_key)
      return sendJson(response, { error: 'invalid_evidence', message: 'Not yet.' }, 422)
    taken.push(key)
    sendJson(response, { slash_id: key }, 201)
  })
  const node = await validator.start()
  await expect.poll(() => taken, patience).toEqual([behind.node_key])
  await node.stop()
})
