/** The subject of a cause. */
export type CauseSubject = 'device' | 'subscription' | 'set' | 'project' | 'work' | 'earnings' | 'node'

/** `error`: no work or no reward comes while it lasts. `warning`: less of it comes. `info`: it explains what is seen. */
export const causeSeverities = ['error', 'warning', 'info'] as const
export type CauseSeverity = (typeof causeSeverities)[number]

type Text = readonly [severity: CauseSeverity, title: string, nextStep: string]

interface Known {
  readonly about: CauseSubject
  readonly severity: CauseSeverity
  readonly title: string
  readonly nextStep: string
}

const about = <Code extends string>(subject: CauseSubject, texts: Readonly<Record<Code, Text>>) =>
  Object.fromEntries(
    Object.entries<Text>(texts).map(([code, [severity, title, nextStep]]) => [
      code,
      { about: subject, severity, title, nextStep },
    ]),
  ) as Readonly<Record<Code, Known>>

const bind = 'Bind it to the owner of the subscription: nodectl bind --owner 0x…'
const addCollateral =
  'Add collateral: POST /v1/subscriptions/{subscription_id}/bond, or the website of the network.'
const subscribeAgain = 'Subscribe the device again: POST /v1/subscriptions, or the website of the network.'
const readLog = 'Read the log of the node: it names each offer that it declined and each task that failed.'
const waitForHub = 'Wait: the hub tries again. GET /v1/status names what is late.'
const noStep = 'Nothing needs to be done.'

/**
 * Causes that keep a device from work or reward, or a project from its tasks, by code. The hub answers these codes in diagnoses
 * and health, and a node reports those that it detects itself. `docs/causes/` has a page for each.
 */
export const causes = {
  ...about('device', {
    not_bound: ['error', 'The device is not bound to the owner', bind],
    banned: ['error', 'An operator banned the device', 'Ask an operator of the hub to lift the ban.'],
    faulty: [
      'error',
      'The device is marked as faulty',
      'Repair what the message names, then restart the node.',
    ],
    offline: [
      'error',
      'The device has no connection to the hub',
      'Is nodectl serve running? Check it with: nodectl doctor',
    ],
    no_free_slots: [
      'warning',
      'All slots of the device are in use',
      'Wait until its tasks end, or serve with more --workers.',
    ],
    nodectl_outdated: [
      'error',
      'The version of nodectl is too old',
      'Update nodectl, then restart the node.',
    ],
    profile_missing: [
      'warning',
      'The device has not reported its profile',
      'Start nodectl serve with --hub-url: it reports the profile of the device.',
    ],
    incompatible: [
      'warning',
      'The device does not meet the requirements of the project',
      'Use a device that meets them, or subscribe this one to another project.',
    ],
  }),
  ...about('subscription', {
    no_subscription: [
      'error',
      'The device has no such subscription',
      'Subscribe it: on the website of the network, by POST /v1/subscriptions, or on a local network with npm run -s subscribe.',
    ],
    not_bonded: ['error', 'No collateral is bonded', addCollateral],
    below_min_collateral: ['error', 'The collateral is below the minimum', addCollateral],
    collateral_low: ['warning', 'The collateral is little above the minimum', addCollateral],
    jailed: ['error', 'A slash left too little collateral', addCollateral],
    paused: [
      'error',
      'The owner paused the subscription',
      'Resume it: POST /v1/subscriptions/{subscription_id}/resume',
    ],
    unbonding: [
      'error',
      'The collateral is being unbonded',
      'Wait for the release, withdraw, then subscribe again: POST /v1/subscriptions/{subscription_id}/withdraw',
    ],
    unbonded: [
      'error',
      'The unbonding is over',
      'Withdraw the collateral: POST /v1/subscriptions/{subscription_id}/withdraw',
    ],
    closed: ['error', 'The subscription is closed', subscribeAgain],
    slash_open: [
      'warning',
      'A slash may take collateral',
      'Dispute it before it is executed: POST /v1/slashes/{evidence_hash}/disputes',
    ],
    reputation_low: [
      'info',
      'The reputation is lower than that of a new device',
      'Keep the node online: each credited task raises it.',
    ],
  }),
  ...about('set', {
    no_validators: [
      'error',
      'The network has no validators',
      'Wait until the operators of the network set the first validators.',
    ],
    set_not_built: ['error', 'The committee set of the epoch is not built yet', waitForHub],
    set_not_attested: ['error', 'No quorum has attested the committee set', waitForHub],
    committee_too_small: [
      'error',
      'Fewer devices are eligible than a committee needs',
      'More devices have to subscribe. Until then validators run the tasks, and no miner is paid.',
    ],
    not_in_set_yet: [
      'error',
      'The collateral was bonded after the beacon block',
      'Wait until its work begins; keep the device online.',
    ],
    left_out_of_set: [
      'error',
      'The committee set of the epoch leaves out the subscription',
      'Wait for the next epoch. Until its set is built, keep the device bound, unpaused and free of faults.',
    ],
    chain_behind: [
      'warning',
      'The hub is behind the chain',
      'Wait: what the chain says counts when the hub has read it.',
    ],
  }),
  ...about('project', {
    project_paused: [
      'error',
      'The project is paused',
      'An operator of the hub resumes it; until then other projects have work.',
    ],
    project_delisted: [
      'error',
      'The project was delisted',
      'It does not come back: unbond, and subscribe the device to another project.',
    ],
    project_not_listed: [
      'error',
      'The project is not listed yet',
      'Its developer registers it on chain, and an operator lists it: see its review.',
    ],
    project_underfunded: [
      'error',
      'The vault of the project could not pay an epoch',
      'Somebody has to fund the vault; the hub then posts the epochs that wait.',
    ],
    project_without_tasks: [
      'warning',
      'The project had no tasks for a day',
      'Submit tasks, or subscribe the device to a project that has some: GET /v1/projects?sort=trending',
    ],
    vault_missing: [
      'error',
      'The vault of the project does not exist',
      'Fund it: the first funding opens the vault.',
    ],
    vault_terms_differ: [
      'error',
      'The vault has other terms than the manifest',
      'Announce the terms of the manifest to the vault: npm run -s fund -- PROJECT --terms, in a checkout. Or publish a manifest that fits it.',
    ],
    vault_empty: ['error', 'The vault cannot pay another epoch', 'Fund the vault with the reward token.'],
    rounds_without_committee: [
      'warning',
      'Tasks ran without a committee',
      'Find more miners, or ask for less: GET /docs/causes/committee_too_small',
    ],
    rounds_contested: [
      'warning',
      'Members voted for different results',
      'Compare the votes: GET /v1/developers/projects/{project_id}/proofs. Does the module use time or chance?',
    ],
    rounds_failed: [
      'warning',
      'Rounds ended without a result',
      'Submit the tasks again; GET /v1/status says whether validators are reachable.',
    ],
  }),
  ...about('work', {
    not_drawn: [
      'info',
      'Other members were drawn',
      `${noStep} More collateral and reputation raise the chance.`,
    ],
    leases_offline: [
      'warning',
      'The device was drawn while it was offline',
      'Keep nodectl serve running: nodectl service print writes the unit that starts it with the machine.',
    ],
    leases_declined: ['warning', 'The device declined tasks', readLog],
    leases_unanswered: ['warning', 'The device did not answer its offers', readLog],
    leases_late: [
      'warning',
      'Votes came too late',
      'Use a faster machine or fewer --workers, and let nothing else take its processors.',
    ],
    votes_invalid: [
      'warning',
      'Votes were not valid',
      'Update nodectl, and check its clock and its data directory: nodectl doctor',
    ],
    votes_disagreed: [
      'warning',
      'Votes differed from the final result',
      'Check memory and processor of the machine; run nodectl doctor.',
    ],
  }),
  ...about('earnings', {
    payout_elsewhere: [
      'info',
      'The rewards go to another address than the owner',
      'If it is wrong, set another one: POST /v1/subscriptions/{subscription_id}/payout',
    ],
    epoch_not_attested: ['warning', 'An epoch with credited tasks is not attested yet', waitForHub],
    epoch_not_posted: ['warning', 'The payouts of an epoch are not on chain yet', waitForHub],
    epoch_underfunded: [
      'warning',
      'The vault cannot pay an epoch',
      'Wait until somebody funds the vault; nothing is lost.',
    ],
    epoch_vetoed: [
      'warning',
      'An epoch was vetoed',
      'Ask an operator of the hub why, or the developer of the project.',
    ],
    below_recipients_cap: [
      'warning',
      'Others earned more units than the payout address',
      'The project pays a limited number of addresses in an epoch. Let several devices share one payout address.',
    ],
    rounded_to_zero: [
      'warning',
      'The share of an epoch is zero',
      'Do more tasks in an epoch, or let several devices share one payout address.',
    ],
    payouts_unclaimed: ['info', 'Payouts can be claimed', 'Claim them: nodectl claim'],
  }),
  ...about('node', {
    hub_away: ['error', 'The node does not reach its hub', 'Check address and network: nodectl doctor'],
    hub_refused: ['error', 'The hub refuses the node', 'Mend what the message names: nodectl doctor'],
    relay_away: [
      'error',
      'The link of the node to its hub is not open',
      'Can this machine open WebSockets to the hub? The node tries again at least once a minute.',
    ],
    relay_refused: [
      'error',
      'The hub refuses the link of the node',
      'Mend what the message names; the node tries again at least once a minute.',
    ],
    relay_replaced: [
      'error',
      'Another process uses the key of the node',
      'Stop the other process for good, then restart this node.',
    ],
    relay_banned: [
      'error',
      'The hub closed the link because of a ban',
      'Ask an operator of the hub; once the ban is lifted, the node comes back by itself within a minute.',
    ],
    clock_off: [
      'error',
      'The clock of the node is wrong',
      'timedatectl set-ntp true; on a local network serve with --clock hub',
    ],
    module_unknown: [
      'warning',
      'The node could not load a module',
      'Does it happen again? The log of the node names each case.',
    ],
    offer_declined: [
      'warning',
      'The node declined an offer',
      'Does it happen again? The log of the node names each case.',
    ],
    benchmark_differs: [
      'error',
      'The node computes other results than the network',
      'Update nodectl and Node.js, or serve with NODE_ENGINE=pulley.',
    ],
    node_stopping: ['error', 'The node stops', 'Start it again.'],
    payout_differs: [
      'warning',
      'The node is set to another payout address',
      'The subscription decides. Set it there, or remove --payout-address: POST /v1/subscriptions/{subscription_id}/payout',
    ],
  }),
}

export type CauseCode = keyof typeof causes

/** One thing that keeps a device from work or reward, or a project from its tasks. */
export interface Cause {
  readonly code: string
  readonly severity: string
  readonly message: string
  /** Unix seconds. */
  readonly since: number | null
  readonly next_step: string | null
  /** The address of the page about it. */
  readonly docs: string | null
}

/** A cause that was found, before it is shown. */
export interface FoundCause {
  readonly code: CauseCode
  readonly message: string
  /** The message for the owner, where it tells more. */
  readonly detail?: string | null
  readonly since?: number | null
  /** The next step in this state of the subject, if it differs from the usual one; null if no step helps. */
  readonly nextStep?: string | null
}

/** The path of the page about a cause. */
const causePage = (code: CauseCode): string => `/docs/causes/${code}`

/** @param origin - Origin of the pages. */
export function describeCause(
  { code, message, detail, since, nextStep: ownStep }: FoundCause,
  origin: string,
  isOwner: boolean,
): Cause {
  const { severity, nextStep } = causes[code]
  return {
    code,
    severity,
    message: (isOwner ? detail : null) ?? message,
    since: since ?? null,
    next_step: ownStep === undefined ? nextStep : ownStep,
    docs: origin + causePage(code),
  }
}
