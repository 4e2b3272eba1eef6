import type { GenerationFollower } from '../generations/follower.ts'
import { hubClient } from '../hub/hub-client.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { type HubSourcesParts, hubSources } from '../hub/sources/index.ts'
import type { Part } from '../part.ts'
import { type PeersParts, peersOf } from '../peers/peers.ts'
import type { ServeStore } from '../store/index.ts'
import type { Validator } from '../validator/validator.ts'
import { validatorError } from '../validator/validator-error.ts'
import { EpochReceipts, type EpochReceiptsParts } from './epoch-receipts.ts'
import { type EpochsPartParts, epochsPart } from './epochs-part.ts'
import { HubEpochs } from './hub-epochs.ts'
import { EpochLeader } from './leader.ts'
import { OpenRounds } from './open-rounds.ts'

/** What a validator does about epochs that are over. */
export interface Epochs {
  readonly receipts: EpochReceipts
  readonly part: Part
}

/** What the parts that settle epochs use. */
interface EpochsParts extends EpochReceiptsParts, EpochsPartParts, HubSourcesParts, PeersParts {
  readonly store: ServeStore
  readonly generationFollower: GenerationFollower | null
}

/** Joins what settles epochs. */
export function createEpochs(parts: EpochsParts, { catchUp }: Validator, hubUrl: string): Epochs {
  const stopping = new AbortController()
  const client = hubClient(parseHubUrl(hubUrl), stopping.signal)
  const peers = peersOf(parts, stopping.signal)
  const hub = new HubEpochs(client, peers.sign)
  const sources = hubSources(parts, client, validatorError)
  const openRounds = new OpenRounds(parts, hub, sources)
  const receipts = new EpochReceipts(parts, sources, catchUp, openRounds)
  const leader = new EpochLeader(parts, receipts, peers)
  return { receipts, part: epochsPart(parts, { receipts, leader, hub, openRounds }, stopping) }
}
