/** The transactions that put tokens into the vault of a project. The wallet sends them itself: the hub moves no tokens of anybody. */
import { type Hex, hashText } from '../../../../protocol/encoding/index.ts'
import { deriveVaultAddress } from '../../../../protocol/identity/index.ts'
import { RefusedToSign } from '../../../../sdk/errors.ts'
import type { Descriptor, Project } from '../hub.ts'
import type { Call, Sent } from '../wallet/mined.ts'
import { WalletProblem } from '../wallet/problems.ts'
import type { Sender } from '../wallet/wallets.ts'

export type FundingStep = 'open' | 'allow' | 'fund'

export interface FundingCall extends Call {
  readonly step: FundingStep
}

/** Words of 32 bytes, as the ABI has numbers, addresses and hashes. */
const word = (value: bigint | number | string): string => BigInt(value).toString(16).padStart(64, '0')
const encoded = (signature: string, ...values: readonly (bigint | number | string)[]): Hex =>
  `${hashText(signature).slice(0, 10)}${values.map(word).join('')}` as Hex

/** The contract keeps the cap in 128 bits. */
const epochCapEnd = 2n ** 128n

/**
 * The calls that the wallet sends, in order: open the vault unless it is open, allow it exactly this amount, fund it.
 *
 * @throws {@link RefusedToSign} if the network has no vaults, the hub names another one, or no vault can pay the cap of an epoch.
 */
export function fundingCalls(
  { project_id, vault, token, economics }: Pick<Project, 'project_id' | 'vault' | 'token' | 'economics'>,
  { chain }: Pick<Descriptor, 'chain'>,
  amount: string,
): FundingCall[] {
  const { vault_factory: factory, vault_implementation: implementation } = chain.contracts
  if (!factory || !implementation) throw new RefusedToSign('This network has no vaults.')
  if (deriveVaultAddress(factory, implementation, project_id) !== vault)
    throw new RefusedToSign(`${vault} is not the vault of this project.`)
  const { epoch_secs, epoch_cap } = economics
  if (BigInt(epoch_cap) >= epochCapEnd)
    throw new RefusedToSign('No vault can pay as much in an epoch: lower consensus.economics.daily_emission.')
  const opening: FundingCall = {
    step: 'open',
    to: factory,
    data: encoded('create(bytes32,address,uint32,uint128)', project_id, token.address, epoch_secs, epoch_cap),
  }
  return [
    ...(economics.vault.deployed ? [] : [opening]),
    { step: 'allow', to: token.address, data: encoded('approve(address,uint256)', vault, amount) },
    { step: 'fund', to: vault, data: encoded('fund(uint256)', amount) },
  ]
}

/** The transactions of calls, kept from one try to the next. */
export interface SentCalls<C> {
  get(call: C): Sent | undefined
  set(call: C, sent: Sent): unknown
  /** Nothing was sent, so another try sends the call. */
  delete(call: C): unknown
}

/**
 * Has a wallet send calls one after the other, each once the one before is in a block.
 *
 * @param tell is called with each call: with false when the wallet gets it, with true once the wallet has sent it.
 * @param sent is told before the wallet is asked, and when it has answered: a call that was sent is waited for, not sent again.
 * @throws {@link WalletProblem} if the wallet does not send a call, or the chain refuses it; later calls are not sent.
 */
export async function sendCalls<C extends Call>(
  sender: Sender,
  calls: readonly C[],
  tell: (call: C, isSent: boolean) => void,
  sent: SentCalls<C>,
): Promise<void> {
  for (const call of calls) {
    let transaction = sent.get(call)
    if (transaction === undefined) {
      tell(call, false)
      try {
        transaction = await sender.send(call, (unheard) => sent.set(call, unheard))
      } catch (error) {
        sent.delete(call)
        throw error
      }
      sent.set(call, transaction)
    }
    tell(call, true)
    try {
      if (await sender.succeeds(transaction, call)) continue
    } catch (error) {
      // Another try sends it again.
      if (error instanceof WalletProblem && error.kind === 'replaced') sent.delete(call)
      else sent.set(call, transaction)
      throw error
    }
    sent.delete(call)
    throw new WalletProblem('reverted')
  }
}

/** For somebody who has the key of the wallet in a checkout, and no wallet in the browser. */
export const fundCommand = (
  { project_id }: Pick<Project, 'project_id'>,
  amount: string,
  hub: string,
  account: string | null,
): string =>
  `npm run -s fund -- ${project_id} "${amount}"${account === null ? ' --key-env DEVELOPER_KEY' : ` --as ${account}`} --hub ${hub}`
