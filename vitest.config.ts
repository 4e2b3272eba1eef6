import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // What a test provokes on purpose is shown only when the test fails.
    silent: 'passed-only',
    projects: [
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations('d1-migrations'),
                HUB_SECRET: 'a secret that only tests know, long enough',
              },
            },
          })),
        ],
        test: {
          name: 'workers',
          include: ['workers/**/*.test.ts', 'durable-objects/**/*.test.ts'],
          setupFiles: ['./workers/test/setup.ts'],
        },
      },
      {
        test: {
          name: 'node',
          environment: 'node',
          include: ['{protocol,node-cli,localnet,scripts,contracts,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 30_000,
        },
      },
    ],
  },
})
