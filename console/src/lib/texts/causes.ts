/** A step that a person takes against a cause. */
export interface Step {
  readonly text: string
  /** The action that the page itself performs. */
  readonly act?: 'bond' | 'resume'
  /** A link to the place of the step. */
  readonly href?: string
  /** Label of the button or link. */
  readonly word?: string
}

const add: Step = { text: 'Add collateral with one button.', act: 'bond', word: 'Add collateral' }
const waits: Step = {
  text: 'Wait: the hub tries again by itself.',
  href: '/status',
  word: 'See what is late',
}
const others: Step = {
  text: 'Have the device work for another project as well.',
  href: '/projects?sort=trending',
  word: 'See projects with work',
}
const collateral = (text: string, word: string): Step => ({ text, href: '/me?part=collateral', word })

/** The steps that the console offers, by the code of the cause. */
export const causeSteps: Readonly<Record<string, Step>> = {
  not_bound: {
    text: 'Bind the device to this wallet: the page has the command with your address.',
    href: '/run-a-device',
    word: 'Bind a device',
  },
  no_subscription: { text: 'Choose a project for the device.', act: 'bond', word: 'Work for a project' },
  not_bonded: { text: 'Bond the collateral of the project.', act: 'bond', word: 'Continue' },
  below_min_collateral: add,
  collateral_low: add,
  jailed: add,
  paused: { text: 'Resume the work.', act: 'resume', word: 'Resume' },
  unbonding: collateral('Wait for the release, then withdraw and bond again.', 'See the collateral'),
  unbonded: collateral('Withdraw the collateral.', 'Withdraw'),
  closed: {
    text: 'Bond again: the device then works for the project again.',
    act: 'bond',
    word: 'Bond again',
  },
  slash_open: {
    text: 'Look at the evidence, and dispute it before it is executed if it is wrong.',
    href: '/me?part=slashes',
    word: 'See the slash',
  },
  set_not_built: waits,
  set_not_attested: waits,
  project_without_tasks: others,
  project_paused: others,
  project_delisted: collateral(
    'It does not come back: unbond, and have the device work for another project.',
    'Unbond',
  ),
  vault_missing: { text: 'The developer of the project has to fund it: the first funding opens the vault.' },
  rounds_without_committee: { text: 'The developer finds more miners, or asks for smaller committees.' },
  rounds_contested: { text: 'The developer compares the votes: does the module use time or chance?' },
  rounds_failed: {
    text: 'Submit the tasks again.',
    href: '/status',
    word: 'See whether validators are reachable',
  },
  payout_elsewhere: collateral('If it is wrong, change it.', 'Change payout address'),
  payout_differs: collateral(
    'The page decides: set it here, or start the node without its own.',
    'Set payout address',
  ),
  epoch_not_attested: waits,
  epoch_not_posted: waits,
  payouts_unclaimed: {
    text: 'Claim them: one button does it for all vaults.',
    href: '/me?part=earnings',
    word: 'Claim',
  },
}
