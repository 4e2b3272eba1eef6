import { number } from '../format.ts'
import { plural } from './words.ts'

export const status = {
  title: 'Status',
  good: 'Everything works',
  bad: 'Something does not work',
  columns: { part: 'Part', state: 'State', detail: 'Detail' },
  parts: {
    database: 'Database',
    modules: 'Module storage',
    chain: 'Chain index',
    queue: 'Queue',
    relayer: 'Relayer',
    links: 'Links of devices',
    committees: 'Committees',
    projection: 'Lists of rounds',
  },
  chain: (block: number, lag: number) =>
    `block ${number(block)}, ${lag === 0 ? 'up to date' : `${number(lag)} s behind`}`,
  links: (devices: number, slots: number) => `${plural(devices, 'device')}, ${plural(slots, 'free slot')}`,
  late: (count: number) => `${plural(count, 'round')} late`,
  projection: (ms: number, queued: number) => `${number(ms)} ms behind, ${number(queued)} queued`,
  validators: 'Validators',
  reachable: 'Online',
  unreachable: 'Offline',
  time: 'Time to final',
  table: 'Show as a table',
  chart: 'Show as a chart',
  late_rounds: 'Late rounds',
}

export const faucet = {
  title: 'Faucet',
  lead: 'Test tokens for people who try the network. They have no value.',
  amount: 'Tokens of a request',
  native: 'Native currency for fees',
  cooldown: 'Wait between two requests',
  closed: 'The faucet is closed.',
  open: 'The faucet is open.',
  signIn: 'The hub sends the tokens to the wallet that you sign in with. It costs nothing.',
  own: (wallet: string) => `The hub sends the tokens to your wallet ${wallet}.`,
  drip: 'Get test tokens',
  done: 'Test tokens are on their way. They arrive in a few seconds.',
  failed: 'The faucet gave nothing',
  next: 'Next request',
  how: 'Or from a checkout:',
  howHint: 'Name another wallet with --key; --help shows how.',
}
