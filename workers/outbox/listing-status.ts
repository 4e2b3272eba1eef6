import { encodeFunctionData, type Hex } from 'viem'
import { projectRegistryFunctions } from '../../contracts/generated/functions.ts'
import { type ListingStatus, listingStatuses } from '../../protocol/manifest/index.ts'
import type { HubActionRules } from './hub-action-rules.ts'

/** The registry is told the listing status of a project. Wanted: `listing_status`. */
export const listingStatusRules: HubActionRules = {
  signer: 'relayer',
  stateKind: 'project',
  isThere: (state, { listing_status }) => state.listing_status === listing_status,
  call: ({ project_registry }, projectId, { listing_status }) => ({
    to: project_registry,
    data: encodeFunctionData({
      abi: projectRegistryFunctions,
      functionName: 'setListingStatus',
      args: [projectId as Hex, listingStatuses.indexOf(listing_status as ListingStatus)],
    }),
  }),
}
