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

/** What the Node side of the test run says of its chain. */
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
