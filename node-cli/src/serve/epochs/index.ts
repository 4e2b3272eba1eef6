import type { Consensus } from '../consensus/consensus.ts'
import { validatorError } from '../consensus/validator-error.ts'
import { hubClient } from '../hub/hub-client.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { hubSources } from '../hub/sources/index.ts'
import type { Part, ServeNode } from '../node.ts'
import { peersOf } from '../peers/peers.ts'
import { EpochReceipts } from './epoch-receipts.ts'
import { epochsPart } from './epochs-part.ts'
import { HubEpochs } from './hub-epochs.ts'
import { EpochLeader } from './leader.ts'
import { OpenRounds } from './open-rounds.ts'

/** What a validator does about epochs that are over. */
export interface Epochs {
  readonly receipts: EpochReceipts
  readonly part: Part
}

/** Joins what settles epochs. */
export function createEpochs(node: ServeNode, { catchUp }: Consensus, hubUrl: string): Epochs {
  const stopping = new AbortController()
  const client = hubClient(parseHubUrl(hubUrl), stopping.signal)
  const peers = peersOf(node, stopping.signal)
  const hub = new HubEpochs(client, peers.sign)
  const sources = hubSources(node, client, validatorError)
  const openRounds = new OpenRounds(node, hub, sources)
  const receipts = new EpochReceipts(node, sources, catchUp, openRounds)
  const leader = new EpochLeader(node, receipts, peers)
  return { receipts, part: epochsPart(node, { receipts, leader, hub, openRounds }, stopping) }
}
