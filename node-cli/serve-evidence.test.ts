import { json as readJson } from 'node:stream/consumers'
import { beforeAll, expect, test, vi } from 'vitest'
import { hashText } from '../protocol/encoding/index.ts'
import type { Evidence } from '../protocol/slashing/index.ts'
import { keepFinal, knownEpoch, recordsOf } from '../testing/node/final-rounds.ts'
import { addValidator, startValidatorNetwork } from '../testing/node/listed-validators.ts'
import { buildNodectl } from '../testing/node/nodectl.ts'
import { sendJson } from './src/serve/hub/testing/lying-hub.ts'
import { openServeStore } from './src/serve/store/index.ts'

beforeAll(buildNodectl)

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

test('evidence of a final round is posted once; none of an open one, and none of a time without the hub', async () => {
  const network = await startValidatorNetwork()
  const validator = await addValidator(network)
  const now = Math.floor(Date.now() / 1000)
  const inContact = now - 1000
  const before = now - 9000
  const right = evidenceOf('right', inContact)
  const known = evidenceOf('known', inContact)
  const refused = evidenceOf('refused', inContact)
  const malformed = evidenceOf('malformed', inContact)
  const open = evidenceOf('open', inContact, `task:${hashText('an open round')}`)
  const withheld = evidenceOf('withheld', before)
  const store = openServeStore(validator.dataDir)
  keepFinal(store, [final!], [])
  for (const one of [withheld, open, right, known, refused, malformed]) store.evidence.keep(one, now)
  store.db.prepare('INSERT INTO hub_contact (first_at, last_at) VALUES (?, ?)').run(inContact - 10, now)
  store.close()

  const posted: string[] = []
  let isBusy = true
  network.answers.set('POST /v1/slashes', async (request, response) => {
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
  await vi.waitFor(() => expect(posted).toEqual(sent), { timeout: 50_000, interval: 100 })
  await vi.waitFor(() =>
    expect(node.log().filter(({ message }) => message === 'the hub refuses evidence')).toHaveLength(2),
  )
  await node.stop()

  const kept = openServeStore(validator.dataDir)
  expect(
    kept.evidencePosts.waiting(0, 10).map(({ evidence, failures }) => [evidence.node_key, failures]),
  ).toEqual([[refused.node_key, 1]])
  expect(kept.evidence.unposted(10).map(({ evidence }) => evidence.node_key)).toEqual(
    [withheld, open, refused, malformed].map((one) => one.node_key),
  )
  kept.close()
  expect(node.log()).toContainEqual(
    expect.objectContaining({
      message: 'evidence is not posted: the hub was lost to this node in that round',
      node_key: withheld.node_key,
    }),
  )

  // What was taken is not sent again; what was refused gets another chance.
  const again = await validator.start()
  await vi.waitFor(() => expect(posted).toEqual([...sent, refused.node_key]), {
    timeout: 50_000,
    interval: 100,
  })
  await again.stop()
})

test('evidence that the hub may take later keeps none behind it waiting, however much there is', async () => {
  const network = await startValidatorNetwork()
  const validator = await addValidator(network)
  const now = Math.floor(Date.now() / 1000)
  const refused = Array.from({ length: 150 }, (_, i) => evidenceOf(`refused ${i}`, now - 1000))
  const behind = evidenceOf('behind', now - 1000)
  const store = openServeStore(validator.dataDir)
  keepFinal(store, [final!], [])
  for (const one of [...refused, behind]) store.evidence.keep(one, now)
  store.db.prepare('INSERT INTO hub_contact (first_at, last_at) VALUES (?, ?)').run(now - 1010, now)
  store.close()
  const taken: string[] = []
  network.answers.set('POST /v1/slashes', async (request, response) => {
    const { node_key: key } = (await readJson(request)) as Evidence
    if (key !== behind.node_key)
      return sendJson(response, { error: 'invalid_evidence', message: 'Not yet.' }, 422)
    taken.push(key)
    sendJson(response, { slash_id: key }, 201)
  })
  const node = await validator.start()
  await vi.waitFor(() => expect(taken).toEqual([behind.node_key]), { timeout: 50_000, interval: 100 })
  await node.stop()
})
