import type { NodeLinkConfig, ProjectPort, RoundPort } from '../../durable-objects/link/types.ts'
import { hashNetworkParams, defaultNetworkParams as params } from '../../protocol/identity/index.ts'
import { subprotocolOf } from '../../protocol/link/index.ts'
import { profile } from './people.ts'
import type { ObjectContext } from './platform/object-class.ts'
import { ticketOf } from './upgrade.ts'

type Basics = 'limits' | 'paramsAt' | 'nodectlMin' | 'subprotocol' | 'pollMs' | 'ticket' | 'round' | 'project'

const hash = hashNetworkParams(params)

/** Settings that the links of all simulations share. */
export const linkBasics = ({ object }: ObjectContext): Pick<NodeLinkConfig, Basics> => ({
  limits: params,
  paramsAt: () => ({ hash, next: null }),
  nodectlMin: '1.0.0',
  subprotocol: (version) => subprotocolOf(profile, version),
  pollMs: null,
  ticket: (_, generation) => ticketOf(generation),
  round: (roundId) => object('Round', roundId) as unknown as RoundPort,
  project: (projectId) => object('ProjectCommittees', projectId) as unknown as ProjectPort,
})
