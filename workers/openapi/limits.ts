import { type Budget, type BudgetName, budgets } from '../middleware/budgets.ts'

/** The calls that each budget pays for. */
const titles: Record<BudgetName, string> = {
  anonymous: 'Calls without a credential, and of nodes that nothing vouches for',
  session: 'Calls of a session',
  api_key: 'Calls with an API key',
  node: 'Calls of an approved validator, or of a device with its collateral',
  unproven: 'Credentials that are refused',
  chain_calls:
    'Questions to the chain: 3 for `GET /v1/accounts/{address}/balances`, and one for each further token; 1 for `GET /v1/me/collateral`; 6 for the payload of an action, or for its trial once it is signed; 20 for the search of the transaction of an action that is refused; 3 for a manifest with a reward token of its own',
  beacon_search: '`GET /v1/beacons/{epoch_secs}/{epoch}` of beacons that nobody has asked for before',
  large_draw:
    'Draws from sets with more than 1,000 nodes: `GET /v1/committees/{project_id}/{epoch}/{seq}`, and `POST /v1/slashes` of a missed vote',
  unknown_transaction: '`GET /v1/transactions/{id}` of ids that the database does not have',
  preflight: 'Preflights of browsers',
  public_tasks: '`POST /v1/projects/{project_id}/tasks` without a key of the developer',
  execute: '`POST /v1/execute`',
  execute_gas: 'Gas of direct rounds (`POST /v1/execute`)',
  execute_kib: 'Inputs, outputs and events of direct rounds',
  execute_seconds: 'Seconds that direct rounds take',
  sign_in: '`POST /v1/auth/nonce` and `/v1/auth/siwe`',
  faucet: '`POST /v1/faucet/drip`',
  claim: '`POST /v1/me/withdrawals/claims`',
  webhook_call: 'Tests of webhooks, and deliveries that are tried by hand',
  asset_upload: 'Uploads of images',
  module_upload: 'Uploads of modules',
  slash_evidence: '`POST /v1/slashes`',
  relay_socket: 'Sockets of `GET /v1/relay`',
  relay: 'Signed actions and claims that are relayed',
  stored_files: 'Images and modules that are uploaded',
  stored_records: 'Bodies of calls that leave a record, each at least 1 KiB',
}

const windows: Record<number, string> = { 60: 'minute', 3600: 'hour', 86400: 'day' }

/** The limits as a table in Markdown; docs/errors/rate_limited.md shows the same. */
export const limitsTable = (): string =>
  [
    '| What | Of one caller | Of all callers of one address | Of everybody | Each |',
    '| --- | --- | --- | --- | --- |',
    ...(Object.entries(budgets) as [BudgetName, Budget][]).map(
      ([name, { caller, address, total, windowSeconds }]) =>
        `| ${titles[name]} | ${shown(name, caller)} | ${shown(name, address)} | ${shown(name, total)} | ${windows[windowSeconds]} |`,
    ),
  ].join('\n')

const shown = (name: BudgetName, amount: number | undefined): string => {
  if (amount === undefined) return ''
  return name.startsWith('stored_') || name === 'execute_kib' ? `${amount / 1024} MiB` : String(amount)
}
