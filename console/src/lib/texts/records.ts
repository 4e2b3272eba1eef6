import { number } from '../format.ts'

export const receipt = {
  title: 'Receipt',
  lead: 'A receipt says what one run took and gave. Equal runs have the same receipt.',
  rounds: 'Rounds with this receipt',
  all: 'All of the receipt',
  facts: {
    hash: 'Receipt',
    module: 'Module',
    fn: 'Function',
    input: 'Hash of the input',
    output: 'Hash of the output',
    events: 'Hash of the events',
    gas: 'Gas',
    success: 'Ran to its end',
    signer: 'Signed by',
    epoch: 'Epoch',
    project: 'Project',
    vault: 'Vault that pays',
    settlement: 'On chain',
    attested: 'Validators that signed',
  },
}

export const node = {
  title: 'Device',
  facts: {
    id: 'Device',
    owner: 'Owner',
    state: 'State',
    class: 'Kind',
    platform: 'System',
    version: 'nodectl',
    region: 'Region',
    units: 'Units in 7 days',
    uptime: 'Online in 7 days',
    score: 'Benchmark score',
    seen: 'Last seen',
    since: 'Bound',
  },
  projects: 'Works for',
  noProjects: 'No project yet',
  subscription: 'Subscription',
}

export const epoch = {
  title: (epoch: number) => `Epoch ${number(epoch)}`,
  facts: {
    project: 'Project',
    state: 'State',
    starts: 'Starts',
    ends: 'Ends',
    rounds: 'Rounds',
    fallback: 'Without a committee',
    open: 'Still open',
    units: 'Units',
    gross: 'Rewards in all',
    miner: 'For devices',
    developer: 'For the developer',
    treasury: 'For the treasury',
    root: 'Merkle root',
    receipt: 'Receipt',
  },
  shares: 'Who is paid',
  columns: { miner: 'Wallet', units: 'Units', amount: 'Amount' },
  noShares: 'Not counted yet',
  noSharesHint: 'When the epoch is over and its rounds are final, validators attest what everybody earned.',
}
