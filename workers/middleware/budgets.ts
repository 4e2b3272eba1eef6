/** How much one subject may use in a window that begins with its first request. */
export interface Budget {
  windowSeconds: number
  /** For one caller: a wallet's session, an API key, a node. Left out if the client address alone counts. */
  caller?: number
  /** For all callers of one client address together: wallets and keys cost nothing to make. */
  address?: number
  /** For all callers together: addresses cost little. */
  total?: number
}

const kibPerMib = 1024

/** In requests; `execute_gas` in gas, `execute_seconds` in seconds, `execute_kib` and `stored_…` in KiB. Deployments multiply all. */
export const budgets = {
  anonymous: { windowSeconds: 60, address: 600 },
  session: { windowSeconds: 60, caller: 1200, address: 6000 },
  api_key: { windowSeconds: 60, caller: 3000, address: 15_000 },
  // Only nodes that something vouches for have it: a key that anybody can make is worth no budget, and a bond not much.
  node: { windowSeconds: 60, caller: 3000, address: 6000 },
  // A credential is paid for from here until it has proved itself, so that no guess costs more than this.
  unproven: { windowSeconds: 60, address: 600 },
  // Browsers ask before most calls; a page must not use up what its calls are paid from.
  preflight: { windowSeconds: 60, address: 6000 },
  // The relayer is asked for transactions that the database does not have.
  unknown_transaction: { windowSeconds: 60, address: 60 },
  // A beacon that is not stored is searched on the chain.
  beacon_search: { windowSeconds: 60, address: 60 },
  // Questions to the chain: operators pay their provider for each.
  chain_calls: { windowSeconds: 60, address: 1200 },
  // A draw reads every entry of its set.
  large_draw: { windowSeconds: 60, address: 60 },
  // Tasks that are submitted without a key of the developer.
  public_tasks: { windowSeconds: 60, address: 30 },
  // Every validator runs it.
  execute: { windowSeconds: 60, caller: 60, address: 30 },
  // The most that a call may use is charged before it begins, and the unused part is given back.
  execute_gas: { windowSeconds: 60, address: 3_000_000_000, total: 12_000_000_000 },
  execute_kib: { windowSeconds: 60, address: 16 * kibPerMib, total: 64 * kibPerMib },
  execute_seconds: { windowSeconds: 60, address: 180, total: 1_200 },
  sign_in: { windowSeconds: 60, address: 30 },
  faucet: { windowSeconds: 60, caller: 10, address: 20 },
  claim: { windowSeconds: 60, caller: 10, address: 60 },
  // Each of them makes the hub call a server of somebody else.
  webhook_call: { windowSeconds: 60, caller: 30, address: 120 },
  asset_upload: { windowSeconds: 3600, caller: 120, address: 600 },
  module_upload: { windowSeconds: 3600, caller: 60, address: 300 },
  // Every signature in it is checked.
  slash_evidence: { windowSeconds: 60, address: 30 },
  // An object is woken and a state is written for each; a fleet behind one address comes back within a minute.
  relay_socket: { windowSeconds: 60, caller: 10, address: 300 },
  // Each of them is paid for by the hub, in the chain's own token.
  relay: { windowSeconds: 86_400, caller: 500, address: 1000 },
  // Nobody uses up alone what all callers of an address have.
  stored_files: { windowSeconds: 86_400, caller: 256 * kibPerMib, address: 1024 * kibPerMib },
  stored_records: { windowSeconds: 86_400, caller: 16 * kibPerMib, address: 64 * kibPerMib },
} as const satisfies Record<string, Budget>

export type BudgetName = keyof typeof budgets

/** Budgets that a route names in its declaration, beside the general one of its caller. */
export type ExtraBudget =
  | 'sign_in'
  | 'faucet'
  | 'claim'
  | 'asset_upload'
  | 'module_upload'
  | 'slash_evidence'
  | 'relay_socket'
  | 'execute'
  | 'webhook_call'

/** The data that a request leaves for good: records in the database, or files in the storage. */
export type Stored = 'records' | 'files'
