import { beforeEach, describe, expect, test } from 'vitest'
import type { LinkOffer } from '../../durable-objects/link/types.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { parseOfferId } from '../../protocol/link/index.ts'
import type { RelaySocket } from '../test/relay-socket.ts'
import {
  device,
  leave,
  link,
  makeOffer,
  offerOf,
  openHolding,
  openOffered,
  testLinks,
} from './testing/links.ts'

const rounds = testLinks()

/** The members that make a vote belong to this offer. */
const voteOn = (offerId: string) => ({
  round_id: parseOfferId(offerId).round_id,
  public_key: device().publicKey,
  committee: { position: 0 },
})

describe('a vote', () => {
  const vote = { kind: 'task' } as never
  let relay: RelaySocket
  let offer: LinkOffer
  beforeEach(async () => {
    ;({ relay, offer } = await openOffered())
    await relay.drain()
  })
  const send = () =>
    relay.send({ type: 'vote', offer_id: offer.offer_id, vote, output_b64: 'b2s=', events: [] })

  test('is passed on every time, and confirmed with the answer of the round', async () => {
    send()
    expect(await relay.next()).toEqual({ type: 'voted', offer_id: offer.offer_id, state: 'pending' })
    rounds.answer = { ok: true, state: 'committee_agreed' }
    send()
    expect(await relay.next()).toMatchObject({ state: 'committee_agreed' })
    expect(rounds.calls).toEqual([
      expect.objectContaining({
        method: 'voted',
        given: [offer.offer_id, device().publicKey, { vote, output_b64: 'b2s=', events: [] }],
      }),
      expect.objectContaining({ method: 'voted' }),
    ])
    expect(await makeOffer(offerOf())).toBe('offered')
  })

  test('that the round refuses keeps its slot, and the node gets the reason', async () => {
    const refused = { code: 'invalid_evidence', message: 'The receipt is of another run.' }
    rounds.answer = { ok: false, ...refused }
    send()
    expect(await relay.next()).toEqual({ type: 'error', ...refused, offer_id: offer.offer_id })
    expect(await makeOffer(offerOf())).toBe('full')
  })

  test('gets an error if its round is unreachable, and can be sent again', async () => {
    rounds.areDown = true
    send()
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'unavailable', offer_id: offer.offer_id })
    rounds.areDown = false
    send()
    expect(await relay.next()).toMatchObject({ type: 'voted' })
  })

  test('whose round is unreachable in time counts as not heard, if it belongs to its offer', async () => {
    const { offer_id } = offer
    const own = voteOn(offer_id)
    const others = [
      { kind: 'task' },
      { ...own, round_id: deriveTaskRoundId(offerOf().task) },
      { ...own, public_key: `0x${'00'.repeat(32)}` },
      { ...own, committee: { position: 1 } },
    ]
    rounds.areDown = true
    const heardAfter = async (vote: object) => {
      relay.send({ type: 'vote', offer_id, vote: vote as never, output_b64: '', events: [] })
      await relay.next()
      return link().wasHeard(offer_id)
    }
    for (const other of others) expect(await heardAfter(other)).toBe(true)
    expect(await heardAfter(own)).toBe(false)
  })

  test('does not excuse a node that has declined', async () => {
    const { offer_id } = offer
    relay.send({ type: 'decline', offer_id, reason: 'busy' })
    await relay.drain()
    rounds.areDown = true
    relay.send({ type: 'vote', offer_id, vote: voteOn(offer_id) as never, output_b64: '', events: [] })
    await relay.next()
    expect(await link().wasHeard(offer_id)).toBe(true)
  })

  test('that never comes from an absent node counts against it, unless absence is excused', async () => {
    const heard = async () => [
      await link().wasHeard(offer.offer_id),
      await link().wasHeard(offer.offer_id, true),
    ]
    expect(await heard()).toEqual([true, true])
    await leave(relay)
    expect(await heard()).toEqual([true, false])
  })

  test('that was stored is confirmed when the node asks on another socket', async () => {
    send()
    await relay.next()
    const again = await openHolding(1, [offer.offer_id])
    expect(await again.drain()).toEqual([{ type: 'voted', offer_id: offer.offer_id, state: 'pending' }])
  })

  test('without a matching offer is refused without asking a round', async () => {
    const { offer_id } = offerOf()
    relay.send({ type: 'vote', offer_id, vote, output_b64: '', events: [] })
    expect(await relay.next()).toMatchObject({ type: 'error', code: 'not_found', offer_id })
    expect(rounds.calls).toEqual([])
  })
})
