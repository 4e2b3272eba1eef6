import { encodeFunctionData, type Hex } from 'viem'
import { projectRegistryAbi } from '../../contracts/generated/contracts.ts'
import { unixNow } from '../../durable-objects/clock.ts'
import { hashBytes } from '../../protocol/encoding/index.ts'
import { listingStatuses } from '../../protocol/manifest/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import type { ListingMirror } from '../stores/project-decisions.ts'

/** A status the registry has not got after so long is sent again: the queue keeps no order, and a message may die. */
const resendSeconds = 600
const batchMax = 50

/** Asks the relay to tell the registry the listing status of a project. Nothing without a chain. */
export async function mirrorListing(env: Env, mirror: ListingMirror): Promise<void> {
  const contracts = readSettings(env).CHAIN_CONTRACTS
  const { relayer } = services(env)
  if (contracts === undefined || relayer === null) return
  const { projectId, listingStatus, since } = mirror
  const attempt = Math.floor((unixNow() - since) / resendSeconds)
  await env.RELAY.send({
    v: 2,
    id: hashBytes(new TextEncoder().encode(`listing:${projectId}:${listingStatus}:${since}:${attempt}`)),
    action: 'set_listing_status',
    owner: relayer.signer,
    serializationKey: `listing:${projectId}`,
    to: contracts.project_registry,
    data: encodeFunctionData({
      abi: projectRegistryAbi,
      functionName: 'setListingStatus',
      args: [projectId as Hex, listingStatuses.indexOf(listingStatus)],
    }),
    valueWei: '0',
  })
}

/** Sends again what the registry should have by now. */
export async function mirrorOverdue(env: Env): Promise<void> {
  const overdue = await services(env).projectDecisions.toMirror(unixNow() - resendSeconds, batchMax)
  for (const mirror of overdue) await mirrorListing(env, mirror)
}
