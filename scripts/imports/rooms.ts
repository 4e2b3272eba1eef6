/**
 * Which room may import which: the order of the house. A room is a folder or a file, and the longest name that begins a
 * path is the room of that file. What is listed for a folder holds for the rooms inside it that have no line of their own.
 * Files that only tests load (see {@link isTest}) are held to the folders at the top alone, and may use what `bench/` has.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  'protocol/errors.ts': [],
  'protocol/wasm': [],
  'protocol/encoding': [],
  'protocol/signatures': ['protocol/encoding'],
  'protocol/identity': ['protocol/signatures', 'protocol/encoding'],
  'protocol/actions': ['protocol/identity', 'protocol/signatures', 'protocol/encoding'],
  'protocol/manifest': ['protocol/identity', 'protocol/signatures', 'protocol/encoding', 'protocol/wasm'],
  'protocol/execution': ['protocol/identity', 'protocol/signatures', 'protocol/encoding', 'protocol/wasm'],
  'protocol/hbc': ['protocol/wasm', 'protocol/execution', 'protocol/encoding'],
  'protocol/consensus': [
    'protocol/actions',
    'protocol/manifest',
    'protocol/execution',
    'protocol/identity',
    'protocol/signatures',
    'protocol/encoding',
  ],
  'protocol/settlement': [
    'protocol/consensus',
    'protocol/actions',
    'protocol/manifest',
    'protocol/execution',
    'protocol/identity',
    'protocol/signatures',
    'protocol/encoding',
  ],
  'protocol/relay': [
    'protocol/consensus',
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
  workers: ['protocol', 'durable-objects', 'contracts/generated', 'workers', 'package.json', 'public'],

  'node-cli/kept-build.ts': ['scripts/kept-build.ts'],
  'node-cli/src/engine': ['protocol'],
  'node-cli': ['protocol', 'node-cli'],

  contracts: ['protocol', 'contracts'],

  'tools/command': [],
  'tools/client': ['protocol', 'tools/command'],
  localnet: [
    'protocol',
    'contracts',
    'node-cli/kept-build.ts',
    'node-cli/src/data-dir',
    'node-cli/src/service',
    'examples',
    'scripts',
    'tools/client',
    'tools/command',
  ],
  'localnet/testing': ['protocol', 'contracts', 'durable-objects', 'workers', 'localnet', 'tools/client'],
  tools: ['protocol', 'localnet', 'scripts', 'tools', 'node-cli/build.ts'],
  'tools/testing': ['localnet', 'node-cli/testing', 'tools'],

  'chaos/harness': ['localnet/testing'],
  'chaos/network': ['protocol', 'contracts', 'localnet', 'tools', 'chaos/harness'],
  ...Object.fromEntries(
    ['relay', 'settlement', 'rounds', 'node', 'soak', 'week'].map((kind) => [
      `chaos/${kind}`,
      ['protocol', 'contracts', 'localnet', 'node-cli', 'scripts', 'tools', 'chaos/harness', 'chaos/network'],
    ]),
  ),
  chaos: ['tools/command', 'chaos'],
}

/** Whether a file is loaded by tests alone. */
export const isTest = (file: string): boolean => /\.test\.ts$|\/test(ing)?\//.test(file)
