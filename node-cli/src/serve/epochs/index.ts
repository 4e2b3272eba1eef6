import type { GenerationFollower } from '../generations/follower.ts'
import { hubClient } from '../hub/hub-client.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { type HubSourcesParts, hubSources } from '../hub/sources/index.ts'
import { type PeersParts, peersOf } from '../peers/peers.ts'
import type { ServeStore } from '../store/index.ts'
import type { Validator } from '../validator/validator.ts'
import { validatorError } from '../validator/validator-error.ts'
import { EpochReceipts, type EpochReceiptsParts } from './epoch-receipts.ts'
import { type EpochsPartParts, epochsPart } from './epochs-part.ts'
import { hubEpochs } from './hub-epochs.ts'
import { epochLeader } from './leader.ts'
import { openRoundsOf } from './open-rounds.ts'

interface EpochsParts extends EpochReceiptsParts, EpochsPartParts, HubSourcesParts, PeersParts {
  readonly store: ServeStore
  readonly generationFollower: GenerationFollower | null
}

/** The part of a validator that settles epochs that are over. */
export type Epochs = ReturnType<typeof createEpochs>

export function createEpochs(parts: EpochsParts, { catchUp }: Validator, hubUrl: string) {
  const stopping = new AbortController()
  const client = hubClient(parseHubUrl(hubUrl), stopping.signal)
  const peers = peersOf(parts, stopping.signal)
  const hub = hubEpochs(client, peers.sign)
  const sources = hubSources(parts, client, validatorError)
  const openRounds = openRoundsOf(parts, hub, sources)
  const receipts = new EpochReceipts(parts, sources, catchUp, openRounds)
  const leader = epochLeader(parts, receipts, peers)
  return { receipts, part: epochsPart(parts, { receipts, leader, hub, openRounds }, stopping) }
}
