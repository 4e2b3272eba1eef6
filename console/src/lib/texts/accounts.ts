import { number } from '../format.ts'

/** The public page of a wallet. */
export const accountPage = {
  title: 'Wallet',
  own: 'This is your wallet: open its devices and earnings',
  work: 'Devices and work',
  facts: {
    devices: 'Devices',
    units: 'Units paid in 30 days',
    reputation: 'Reputation, on average',
    since: 'Known since',
    projects: 'Works for',
    bonded: 'Collateral bonded',
    unclaimed: 'Payouts to claim',
  },
  /** Before a sum. */
  atLeast: 'at least',
  devices: (online: number, all: number) => `${number(online)} of ${number(all)} online`,
  none: 'none',
  unknown: 'This hub knows nothing of this wallet',
  unknownHint: 'It has bound no device here, bonded no collateral and published no project.',
  noAddress: 'This is no address of a wallet',
  noAddressHint: 'An address is 0x and 40 hex digits.',
  tokens: 'Tokens',
  noChain: 'The chain does not say at the moment what the wallet holds.',
  developer: 'Developer',
  noProjects: 'No project is listed.',
}
