const ofIdentity = ['protocol/signatures', 'protocol/encoding']
const ofManifest = ['protocol/identity', ...ofIdentity, 'protocol/wasm']
const ofCommittees = [
  'protocol/actions',
  'protocol/manifest',
  'protocol/execution',
  'protocol/identity',
  ...ofIdentity,
]
const ofRounds = ['protocol/committees', ...ofCommittees]
const ofEarnings = ['protocol/rounds', ...ofRounds]
const ofChaos = ['protocol', 'contracts', 'localnet', 'sdk', 'scripts', 'testing']

/**
 * Which room may import which: the order of the house. A room is a folder or a file, and the longest name that begins a
 * path is the room of that file. The line of a folder also holds for the rooms inside it that have no line of their own.
 * Files that only tests load (see {@link isTest}) are held to the folders at the top alone, and may use what `testing/` and `bench/` have.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  'protocol/causes.ts': [],
  'protocol/errors.ts': [],
  'protocol/wasm': [],
  'protocol/encoding': [],
  'protocol/signatures': ['protocol/encoding'],
  'protocol/identity': ofIdentity,
  'protocol/actions': ['protocol/identity', ...ofIdentity],
  'protocol/manifest': ofManifest,
  'protocol/execution': ofManifest,
  'protocol/hbc': ['protocol/wasm', 'protocol/execution', 'protocol/encoding'],
  'protocol/committees': ofCommittees,
  'protocol/rounds': ofRounds,
  'protocol/earnings': ofEarnings,
  'protocol/slashing': ['protocol/earnings', ...ofEarnings],
  'protocol/link': [
    'protocol/rounds',
    'protocol/committees',
    'protocol/errors.ts',
    'protocol/execution',
    'protocol/identity',
    'protocol/encoding',
    'protocol/manifest',
    'protocol/wasm',
  ],
  'protocol/vectors': ['protocol'],

  'durable-objects': ['protocol'],

  'workers/errors.ts': ['protocol'],
  'workers/deadline.ts': [],
  'workers/stores': [
    'protocol',
    'durable-objects',
    'workers/auth/principal.ts',
    'workers/chain',
    'workers/deadline.ts',
    'workers/errors.ts',
  ],
  'workers/http': ['protocol', 'workers/context.ts', 'workers/errors.ts', 'workers/route.ts'],
  'workers/images': ['protocol'],
  workers: [
    'protocol',
    'durable-objects',
    'contracts/generated',
    'workers',
    'package.json',
    'public',
    '.env.example',
  ],
  'workers/routes/console': ['protocol', 'workers', 'console/src/lib/states.ts'],

  'node-cli/kept-build.ts': ['scripts/kept-build.ts'],
  'node-cli/src/engine': ['protocol'],
  'node-cli': ['protocol', 'conformance', 'node-cli'],

  conformance: ['protocol', 'conformance'],

  contracts: ['protocol', 'contracts'],

  'sdk/kept-build.ts': ['scripts/kept-build.ts'],
  sdk: ['protocol'],
  console: ['protocol', 'sdk'],
  'scripts/command': ['sdk'],
  scripts: ['protocol', 'sdk', 'scripts', 'node-cli/src', 'workers/benchmarks', 'workers/test'],
  localnet: [
    'protocol',
    'contracts',
    'node-cli/kept-build.ts',
    'node-cli/src/data-dir',
    'node-cli/src/node-signer.ts',
    'node-cli/src/service',
    'examples',
    'scripts',
    'sdk',
  ],
  tools: ['protocol', 'sdk', 'localnet', 'scripts', 'tools'],
  create: ['protocol', 'scripts', 'localnet', 'tools'],
  deploy: [
    'protocol',
    'contracts',
    'workers/chain/contracts.ts',
    'workers/settings.ts',
    'scripts/command',
    'scripts/hub',
    'sdk',
    'durable-objects/objects-version.ts',
    'deploy',
  ],
  testing: [
    'protocol',
    'conformance',
    'contracts',
    'durable-objects',
    'workers',
    'node-cli',
    'localnet',
    'scripts',
    'sdk',
  ],
  e2e: [
    'protocol',
    'contracts',
    'deploy',
    'workers',
    'node-cli',
    'localnet',
    'scripts',
    'sdk',
    'testing',
    'console/src/lib/mine/commands.ts',
  ],

  'chaos/harness': ['protocol', 'testing'],
  'chaos/network': [...ofChaos, 'chaos/harness', 'tools/task'],
  ...Object.fromEntries(
    ['relay', 'settlement', 'rounds', 'node', 'soak', 'events', 'week', 'builds', 'rehearsal'].map((kind) => [
      `chaos/${kind}`,
      [...ofChaos, 'node-cli', 'tools', 'chaos/harness', 'chaos/network'],
    ]),
  ),
  'chaos/restore': [...ofChaos, 'deploy', 'tools/task', 'chaos/harness', 'chaos/network'],
  'chaos/simulation': ['protocol', 'durable-objects', 'workers', 'chaos/harness'],
  chaos: ['scripts/command', 'chaos'],
}

/** Whether a file is loaded by tests alone. */
export const isTest = (file: string): boolean => /\.test\.ts$|\/test(ing)?\//.test(file)
