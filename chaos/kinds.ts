import type { KindEntry } from './harness/kind.ts'

/** They run the hub's own code, so they are checked with the types of the platform, apart from programs of Node. */
const [simulation, platform, links, hours, loaded]: string[] = [
  './simulation/kind.ts',
  './simulation/platform-kind.ts',
  './simulation/links-kind.ts',
  './simulation/hours-kind.ts',
  './simulation/load-kind.ts',
]

export const kinds: Readonly<Record<string, KindEntry>> = {
  relay: {
    about: 'every signed action is on chain exactly once',
    counted: 'scenarios',
    count: 1_000,
    example: 'relay 40 1',
    load: async () => (await import('./relay/kind.ts')).relay,
  },
  settlement: {
    about: 'vaults pay what validators attested, and slashes take what was proven',
    counted: 'scenarios',
    count: 1_000,
    example: 'settlement 50 1',
    load: async () => (await import('./settlement/kind.ts')).settlement,
  },
  rounds: {
    about: 'every task ends with the honest result, and no honest node is blamed',
    counted: 'scenarios',
    count: 2_000,
    example: 'rounds 25 1',
    load: async () => (await import('./rounds/kind.ts')).rounds,
  },
  simulate: {
    about: 'rounds end once, pay once and blame nobody without fault, on virtual time',
    counted: 'scenarios',
    count: 1_000,
    example: 'simulate 1000 1',
    load: async () => (await import(simulation!)).simulate,
  },
  platform: {
    about:
      'validators that never answer delay a result by 1 s at most, 2 s if they are many, on virtual time',
    counted: 'tasks',
    count: 40,
    example: 'platform --validators 20 --hung 6',
    options: { validators: 20, hung: 6, unlinked: 0, 'answer-ms': 20 },
    load: async () => (await import(platform!)).platform,
  },
  links: {
    about: 'nodes that a deployment cuts are back within two minutes, and nobody notices, on virtual time',
    counted: 'links',
    count: 3_000,
    example: 'links 3000 1',
    load: async () => (await import(links!)).links,
  },
  hours: {
    about: 'sets of many projects are attested before their epoch, and nobody notices, on virtual time',
    counted: 'projects',
    count: 1_000,
    example: 'hours 1000 1 --validators 4',
    options: { validators: 4 },
    load: async () => (await import(hours!)).hours,
  },
  load: {
    about: 'a hub keeps up with a steady rate of tasks, under the ceilings of its platform',
    counted: 'minutes',
    count: 10,
    example: 'load 10 1 --rate 30 --share 10',
    options: { rate: 30, share: 10, validators: 20 },
    load: async () => (await import(loaded!)).load,
  },
  node: {
    about: 'a node that is killed keeps its votes, receipts and chunks',
    counted: 'points',
    count: 500,
    example: 'node 100 2',
    load: async () => (await import('./node/kind.ts')).node,
  },
  events: {
    about: 'followers whose connections are cut have every event once, in order',
    counted: 'minutes',
    count: 10,
    example: 'events 10 1 --followers 200',
    options: { followers: 200, idle: 0 },
    load: async () => (await import('./events/kind.ts')).events,
  },
  restore: {
    about:
      'a network that is destroyed while tasks run goes on elsewhere from its backup, and loses nothing final',
    counted: 'minutes',
    count: 1,
    example: 'restore 1 1',
    load: async () => (await import('./restore/kind.ts')).restore,
  },
  soak: {
    about: 'no task is lost while real nodes end and come back, and no process grows',
    counted: 'minutes',
    count: 30,
    example: 'soak 30 1',
    load: async () => (await import('./soak/kind.ts')).soak,
  },
  week: {
    about: 'a week of epochs is paid to the unit over restarts, joins and late logs',
    counted: 'epochs',
    count: 168,
    example: 'week 6 1',
    load: async () => (await import('./week/kind.ts')).week,
  },
  rehearsal: {
    about: 'a network on a chain like Sepolia pays and takes what one on a local chain does',
    counted: 'tasks',
    count: 6,
    example: 'rehearsal 6 1',
    load: async () => (await import('./rehearsal/kind.ts')).rehearsalOn('sepolia'),
  },
  'rehearsal-base': {
    about: 'the same on a chain like Base Sepolia',
    counted: 'tasks',
    count: 6,
    example: 'rehearsal-base 4 1',
    load: async () => (await import('./rehearsal/kind.ts')).rehearsalOn('base-sepolia'),
  },
}
