import { plural } from './words.ts'

/** Of parts of the pages of developers that are loaded when they are opened. */
export const buildParts = {
  pictures: {
    title: 'Pictures',
    hint: 'PNG, JPEG or WebP, at most 2 MiB. The hub keeps them, and pages load none from elsewhere.',
    choose: {
      icon: 'Choose an icon',
      banner: 'Choose a banner',
      screenshots: 'Add a screenshot',
    },
    none: 'none yet',
    names: { icon: 'Icon', banner: 'Banner', screenshots: 'Screenshots' },
    foreign: (count: number) => `${plural(count, 'picture')} on another host, which pages do not load`,
    notPicture: 'This is not a PNG, JPEG or WebP image.',
  },

  dryRun: {
    title: 'Dry run',
    hint: 'All validators run it, as they would a task. It needs no registration, and nobody is paid. The draft is saved first.',
    fn: 'Function',
    input: 'Input (JSON)',
    notJson: 'This is not JSON. A text has quotation marks.',
    fraction: 'Numbers must be whole: JSON is sent in its canonical form, which has no fractions.',
    do: 'Run it',
    running: 'The validators run it. This usually takes some seconds.',
    gas: (used: string, most: string) => `${used} gas of ${most} that a task may use`,
    units: (units: string) => `${units} by the parameters of the network`,
    output: 'Output',
    failed: 'It failed',
    passed: 'It works',
    none: 'No quorum of the validators gave a result.',
  },

  fund: {
    amount: (symbol: string) => `Add to the vault, in ${symbol}`,
    proposed: 'This is the most that one day pays.',
    hint: 'The vault pays rewards alone, and what it does not pay you can take back.',
    balance: 'Your wallet has',
    balanceUnknown: (symbol: string) =>
      `The hub does not know how much ${symbol} your wallet has: look there first.`,
    notAmount: 'Write an amount above zero.',
    short: 'Your wallet has less.',
    faucet: 'Ask the faucet',
    do: (amount: string) => `Fund with ${amount}`,
    title: (amount: string, name: string) => `Put ${amount} into the vault of ${name}`,
    steps: {
      open: () => 'Open the vault of the project, with the epochs and the cap of its manifest.',
      allow: (amount: string) => `Allow the vault to take exactly ${amount} from your wallet.`,
      fund: (amount: string) => `Put ${amount} into the vault.`,
    },
    states: {
      waits: 'Waits',
      wallet: (name: string) => `Confirm in ${name}`,
      chain: 'Waits for a block',
      done: 'Done',
    },
    fees: 'Your wallet sends each as a transaction of its own and pays the fee, which it shows before. The hub sends none of them.',
    send: 'Begin',
    sendAgain: 'It was not sent: send it',
    left: (amount: string) => `You began to put ${amount} into the vault, and that is not over.`,
    leftHint:
      'Go on, and nothing that your wallet has sent is sent again. If you forget it, this page does not know any more what was sent: look in your wallet first, or the vault may get the amount twice.',
    goOn: 'Go on',
    forget: 'Forget it',
    close: 'Close',
    done: 'Done',
    development:
      'This account is one of the local network, and its page sends no transactions. From the checkout that started the network:',
    command: 'The same by a command',
    commandHint: 'From a checkout, with the key of your wallet in the environment variable DEVELOPER_KEY:',
  },

  /** Against a cause of the health of a project, by its code, where the API names a call. */
  steps: {
    project_underfunded: 'Fund the vault under “Vault and funding”; the hub then posts the epochs that wait.',
    vault_missing: 'Fund it under “Vault and funding”: the first funding opens it.',
    vault_empty: 'Fund it under “Vault and funding”.',
    vault_terms_differ:
      'Announce the terms of the newest version to the vault, as the page about this problem explains. Or draft a version on this page whose epochs and daily emission are those of the vault.',
    rounds_without_committee:
      'Find more owners of devices, or draft a version on this page that asks for a smaller committee.',
    project_without_tasks: 'Submit a task, or tell people who would.',
    project_delisted: 'It does not come back. Draft a project with another slug.',
    rounds_contested:
      'Open the rounds on its public page and compare the votes. Does the module use time or chance?',
    rounds_failed: 'Submit the tasks again. The status of the hub says whether validators are reachable.',
    set_not_built: 'Wait: the hub tries again. Its status says what is late.',
    set_not_attested: 'Wait: the hub tries again. Its status says what is late.',
  } as Record<string, string>,

  terms: {
    title: 'The terms',
    all: [
      'This is a network for tests: its tokens are worth nothing, and its operators may start it again from nothing.',
      'You publish only modules and pictures that you may publish, and answer for what they do.',
      'Everybody reads what you sign, and the inputs and results of public tasks. Put no secrets and no personal data into them.',
      'Operators review projects, and may pause or remove one. They say why.',
      'There is no guarantee that the network runs, or that its data stays.',
    ],
  },
}
