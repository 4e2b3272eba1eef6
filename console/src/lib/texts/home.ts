import { number } from '../format.ts'
import { plural } from './words.ts'

export const home = {
  sentence: 'Devices run the function, agree on the result, and validators sign it.',
  lead: (network: string) =>
    `${network} is a test network. It counts a result only when several devices found the same one and a quorum of validators has signed it.`,
  try: 'Submit a first task',
  tryHint: 'No account, no wallet. It takes a few seconds.',
  watch: 'See all rounds',
  figures: {
    devices: 'Devices online',
    final: 'Tasks final in 24 h',
    time: 'Median time to final',
    sets: 'Sets attested',
    rewards: 'Rewards attested',
    validators: 'Validators',
  },
  of: (count: number, all: number) => `${number(count)} of ${number(all)}`,
  figureHints: {
    sets: 'of the epochs that run now',
    rewards: (epochs: number) => (epochs === 0 ? 'no epoch yet' : `in the last ${plural(epochs, 'epoch')}`),
    time: (count: number) => `over ${plural(count, 'round')}`,
    quorum: (quorum: number) => `${quorum} sign each result`,
    counted: (when: string) => `counted ${when}`,
    all: (rounds: number) => `of ${plural(rounds, 'task')} that ended`,
  },
  latest: 'Latest rounds',
  none: 'No round yet',
  noneHint: 'A round appears here as soon as somebody submits a task.',
  latestRing: 'The latest round',
  noRing: 'The committee of the next task will be drawn here.',
  doors: 'Three ways in',
  build: 'Build',
  buildHint:
    'Publish a project of your own, or submit tasks from a program. The reference lists every call and sends test calls.',
  buildDoor: 'Begin a project',
  buildReference: 'Open the reference',
  device: 'Run a device',
  deviceHint: 'Devices earn by running functions. nodectl binds a device to your wallet and serves it.',
  deviceDoor: 'Set one up',
  explore: 'Explore',
  exploreHint: 'Every task, vote, signature and epoch is public. Check any of them in this browser.',
  exploreDoor: 'Browse projects',
  local: 'This is a local network',
  localHint: 'Its accounts have public keys and its tokens have no value. Try these next:',
  localSteps: [
    {
      text: 'Submit a task from a terminal',
      command: 'npm run -s task -- echo --input \'{"hello":"world"}\'',
    },
    { text: 'Sign in as the sample developer', command: 'npm run -s sign-in' },
    {
      text: 'Watch rewards being paid: move the time of the network',
      command: 'npm run -s pass-time -- 2h',
    },
  ],
}
