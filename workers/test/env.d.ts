import type { Env } from '../env.ts'

type HubEnv = Env
type D1Migrations = import('cloudflare:test').D1Migration[]

declare global {
  namespace Cloudflare {
    interface Env extends HubEnv {
      TEST_MIGRATIONS: D1Migrations
    }
    interface GlobalProps {
      mainModule: typeof import('../index.ts')
    }
  }
}

/** The chain of the test run, as the Node side provides it. */
declare module 'vitest' {
  interface ProvidedContext {
    chain: {
      rpcUrl: string
      contracts: import('../chain/contracts.ts').Contracts
      startBlock: number
      finalBlocks: number
      relayerKey: string
      arbiterKey: string
      deployer: string
    } | null
  }
}
