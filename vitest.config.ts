import path from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import type { inject as Inject } from 'vitest'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/testing/longest-first.ts'
import { makeRunFolder } from './scripts/testing/run-folder.ts'
import { patienceMs } from './testing/patience.ts'

// The settings of a hub that `wrangler dev` runs are not those of the tests.
process.env.CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV = 'false'
// Miniflare writes every certificate of this file into the configuration of each hub, and no test leaves this machine.
delete process.env.NODE_EXTRA_CA_CERTS

/** Long enough for a busy machine: an awaited event may come late, and only one that never comes fails. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: patienceMs } } }

/** Loading the hub again for each file would take longer than all tests; `setup.ts` empties what is stored instead. */
const oneHub = {
  isolate: false,
  setupFiles: ['./workers/test/setup.ts'],
  // `workers/test/quiet-console.ts` says why the hub's tests keep what is logged themselves.
  disableConsoleIntercept: true,
}

// Before anything else reads it: what the hub's tests store is there, too.
process.env.TMPDIR = makeRunFolder()

const contractNames = [
  'token',
  'faucet',
  'project_registry',
  'vault_factory',
  'vault_implementation',
  'staking',
  'treasury',
]

/** The hub in workerd, with what all of its tests need. */
const hubWith = (bindings: (provided: { inject: typeof Inject }) => Record<string, string>) =>
  cloudflareTest(async (provided) => ({
    main: 'workers/test/hub.ts',
    wrangler: { configPath: './wrangler.toml' },
    miniflare: {
      bindings: {
        TEST_MIGRATIONS: await readD1Migrations('d1-migrations'),
        HUB_SECRET: 'a secret that only tests know, long enough',
        LOCAL_NETWORK: 'true',
        ...bindings(provided),
      },
    },
  }))

/** Only alarms that a test runs happen. */
const onChain = { CHAIN_CONFIRMATIONS: '1', CHAIN_BLOCK_SECS: '3600', RELAYER_TICK_MS: '3600000' }

export default defineConfig({
  test: {
    // Also where there are two processors: networks that start and stop are waited for more than they compute.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Output that a test provokes on purpose is shown only when the test fails.
    silent: 'passed-only',
    projects: [
      {
        plugins: [hubWith(() => ({}))],
        test: {
          name: 'workers',
          ...patience,
          include: ['workers/**/*.test.ts', 'durable-objects/**/*.test.ts'],
          exclude: ['**/*.{chain,anvil}.test.ts'],
          globalSetup: ['./testing/webhook-receiver.ts'],
          ...oneHub,
        },
      },
      {
        // The same hub with a chain, which a test puts behind `fetch`.
        plugins: [
          hubWith(() => ({
            ...onChain,
            CHAIN_RPC_URL: 'http://chain.test',
            CHAIN_CONTRACTS: JSON.stringify(
              Object.fromEntries(contractNames.map((name, i) => [name, `0x${`c${i}`.repeat(20)}`])),
            ),
            RELAYER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
            RELAYER_PREVIOUS_KEYS: `0x${'22'.repeat(32)}`,
            ARBITER_PRIVATE_KEY: `0x${'33'.repeat(32)}`,
            COORDINATOR_SEED: `0x${'5e'.repeat(32)}`,
          })),
        ],
        test: {
          name: 'workers-chain',
          ...patience,
          include: ['{workers,durable-objects}/**/*.chain.test.ts'],
          ...oneHub,
        },
      },
      {
        // The same hub on a real chain with the real contracts.
        plugins: [
          hubWith(({ inject }) => {
            const chain = inject('chain')
            return {
              ...onChain,
              CLOCK: 'chain',
              ...(chain && {
                CHAIN_RPC_URL: chain.rpcUrl,
                CHAIN_CONTRACTS: JSON.stringify(chain.contracts),
                CHAIN_START_BLOCK: String(chain.startBlock),
                RELAYER_PRIVATE_KEY: chain.relayerKey,
                ARBITER_PRIVATE_KEY: chain.arbiterKey,
              }),
            }
          }),
        ],
        test: {
          name: 'workers-anvil',
          ...patience,
          include: ['workers/**/*.anvil.test.ts'],
          globalSetup: ['./testing/deployed-chain.ts'],
          ...oneHub,
          setupFiles: [...oneHub.setupFiles, './workers/test/anvil-setup.ts'],
          // One chain and one relaying key for all of them: two hubs at once would take each other's nonces.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'node',
          ...patience,
          environment: 'node',
          include: [
            '{protocol,sdk,console/src,node-cli,contracts,scripts}/**/*.test.ts',
            '{create,localnet,tools,testing,deploy,e2e,bench,chaos,conformance}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/dist/**'],
          // Programs that tests put into folders of their own are never run again, so nothing compiled of them is kept.
          env: { NODE_COMPILE_CACHE: path.join(process.env.TMPDIR, 'compiled') },
          // The tested code runs in processes of its own, or `setup.ts` undoes its changes, so one process can run many files.
          isolate: false,
          setupFiles: ['./scripts/testing/setup.ts'],
        },
      },
    ],
  },
})
