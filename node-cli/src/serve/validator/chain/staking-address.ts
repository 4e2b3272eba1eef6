import { isAddress } from '../../../../../protocol/encoding/index.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { HubError } from '../../hub/hub-error.ts'
import { Members } from '../../hub/members.ts'
import { NotYet } from '../refusal.ts'

/**
 * The address of the staking contract, as the hub gives it. Without that address nothing can be compared, so a set is not
 * called wrong. @throws {@link NotYet}
 */
export async function askStakingAddress(client: HubClient | null): Promise<string> {
  if (client === null) throw new NotYet('this node has no hub to ask; name one with --hub-url')
  try {
    return await client.call({ method: 'GET', target: '/' }, (answer) => {
      const contracts = new Members(answer).object('chain').object('contracts')
      return contracts.get('staking', isAddress, 'the address of a contract')
    })
  } catch (error) {
    throw error instanceof HubError ? new NotYet(error.message) : error
  }
}
