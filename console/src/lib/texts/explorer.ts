/** Texts of slashes, transactions, payouts, compatibility and incidents. */
import { number } from '../format.ts'
import type { payoutCheckNames } from '../payout-checks.ts'
import { plural } from './words.ts'

export const recordTexts = {
  slash: {
    title: 'Slash',
    lead: 'A device that broke a rule loses a share of its collateral. The evidence is public, and its owner can dispute it.',
    kinds: {
      equivocation: 'Two different votes in one round',
      invalid_result: 'A vote for a wrong result',
      missed_sla: 'No vote in time',
    } as Record<string, string>,
    facts: {
      hash: 'Evidence',
      kind: 'Offence',
      project: 'Project',
      node: 'Device',
      round: 'Round',
      subscription: 'Subscription',
      share: 'Share of the collateral',
      amount: 'Amount',
      taken: 'Taken',
    },
    timeline: 'Timeline',
    steps: {
      recorded: 'Evidence recorded',
      proposed: 'Proposed on chain',
      disputable: 'The owner can dispute it until',
      disputed: 'Disputed by the owner',
      cancelled: 'Cancelled',
      upheld: 'Dispute rejected',
      executed: 'Executed',
      closed: 'Closed without a slash',
      decide: 'Cancelled without a decision',
    },
    reasons: {
      no_penalty: 'The project takes no collateral for this offence.',
      no_collateral: 'No collateral was left to take.',
      given_up: 'An operator closed the proposal.',
      void: 'It was not executed in time.',
    } as Record<string, string>,
    waits: 'Not yet',
    undecided:
      'Only if the arbiter rejects the dispute; without a decision within 14 days the slash is cancelled',
    yours: 'This is about a device of yours: you can dispute it here, once.',
    transaction: 'Transaction',
    dispute: 'Dispute',
    noDispute: 'Nobody has disputed it.',
    noReason: 'The owner disputed it by a transaction of their own, without a text.',
    links: 'Links of the owner',
    evidence: 'Evidence',
    evidenceHint:
      'The evidence that validators and the contract judged. Its hash is computed here, and is the name of this page.',
    isNamed: 'The evidence has this hash',
    isNotNamed: 'The evidence has another hash',
    first: 'First vote',
    second: 'Second vote',
    vote: 'Vote',
    result: 'Result',
    agreed: 'Result that validators signed',
    whole: 'Show the whole evidence',
  },

  transaction: {
    title: 'Transaction',
    lead: 'The hub submits what owners sign, and pays for it. This is how far it is.',
    facts: {
      id: 'Action',
      hash: 'Transaction',
      action: 'What it does',
      confirmations: 'Blocks since',
      created: 'Accepted',
      updated: 'Last change',
      error: 'Why it failed',
    },
    steps: {
      queued: 'Accepted',
      sent: 'Sent',
      confirmed: 'Final on chain',
      indexed: 'In the records of the hub',
    },
    usual: 'This usually takes a few blocks.',
    explorer: 'Open in the explorer of the chain',
    raw: 'The chain itself answers for transactions that wallets sent without this hub.',
  },

  payout: {
    title: 'Check a payout',
    lead: 'This browser builds the tree of payouts again, and leads from the share of a wallet to the root from which the vault pays.',
    wallet: 'Wallet',
    do: 'Prove it',
    notWallet: 'A wallet is 0x and 40 hex digits.',
    doing: 'Checking',
    checks: {
      receipt: 'The receipt has its hash, and is of this epoch',
      root: 'The tree of all payouts has the root that is shown',
      leaf: 'The share of the wallet leads to the root',
      attested: 'A quorum of the validators signed the receipt',
    } satisfies Record<(typeof payoutCheckNames)[number], string>,
    notPaid: 'Not paid for this epoch',
    tree: (leaves: number, siblings: number) =>
      `Tree of ${plural(leaves, 'payout')}; the proof has ${plural(siblings, 'sibling')}.`,
    leaf: 'Leaf',
    sibling: (level: number) => `Sibling ${level}`,
    root: 'Root',
    posted: 'Posted to the vault',
    state: 'Settlement',
    claimable: 'Claimable from',
    post: 'Transaction',
    mine: 'Check',
  },

  about: {
    title: 'About it',
    category: 'Category',
    features: 'What it does',
    tags: 'Words',
    links: { website: 'Website', docs: 'Documentation', support: 'Support', video: 'Video' },
    sites: 'Links',
    foreign: 'These are sites of the developer, not of this hub.',
    conditions: 'Conditions of the approval',
    announcements: 'Announcements',
    none: 'The developer has announced nothing.',
    kinds: { update: 'Update', maintenance: 'Maintenance', feature: 'Feature', alert: 'Alert' } as Record<
      string,
      string
    >,
  },
  compatibility: {
    hint: 'Id of a bound device',
    device: 'Device',
    do: 'Compare',
    columns: { requirement: 'Requirement', asked: 'Asked', verdict: 'Your device' },
    names: {
      device_class: 'Kind',
      engine: 'Engine',
      cpu_cores: 'Processor cores',
      ram_mb: 'Memory',
      storage_mb: 'Storage',
      benchmark: 'Benchmark score',
    } as Record<string, string>,
    met: 'Enough',
    near: 'Almost enough',
    unmet: 'Not enough',
    unknown: 'Not reported',
    tiers: {
      compatible: 'This device fits',
      marginal: 'This device may do',
      unknown: 'Not known: the device has not reported what it is',
      incompatible: 'This device does not fit',
    } as Record<string, string>,
    monthly: (amount: string) => `It would earn about ${amount} in 30 days, as devices there earn now.`,
  },

  incidents: {
    title: 'Incidents',
    hint: 'Events out of the ordinary. Tasks that validators had to decide are one row for each hour.',
    none: 'No recent incident',
    noneHint:
      'Rounds that validators had to decide, slashes, and projects that were paused or removed appear here.',
    what: {
      'round.escalated': 'Validators decided a task because its committee did not agree',
      'slash.executed': 'Collateral was slashed',
      'project.paused': 'A project was paused',
      'project.delisted': 'A project was removed from the catalogue',
    } as Record<string, string>,
    many: (count: number) => `${number(count)} times within that hour`,
    columns: { when: 'When', what: 'What happened', about: 'Record' },
  },

  day: {
    hint: 'Each hour of the last 24, the newest on the right: a bar to the median of a sample of its tasks, a line to the slowest of them.',
    columns: { hour: 'Hour', sampled: 'Tasks in the sample', median: 'Median', slowest: 'Slowest' },
    none: 'No task was final in the last 24 hours.',
    seconds: (ms: number) => `${number(ms / 1_000)} s`,
    sentence: (hours: number, median: string, slowest: string) =>
      `Time to final of the last 24 hours: tasks in ${plural(hours, 'hour')}, the usual median ${median}, the slowest task ${slowest}.`,
    newest: (median: string, slowest: string) =>
      `The newest hour with tasks: median ${median}, slowest ${slowest}`,
  },
}
