import { settingFields } from '../workers/settings.ts'

interface SettingNote {
  readonly is: string
  /** The case in which it is needed or useful. */
  readonly need: string
  /** The effect of a wrong value. */
  readonly wrong: string
  readonly isSecret?: true
}

const refused = 'the hub answers 503 and names it'

/** The meaning of every setting. The type requires a note for each; {@link settingsPage} prints them. */
const notes: Readonly<Record<keyof typeof settingFields, SettingNote>> = {
  HUB_SECRET: {
    is: 'text of at least 32 characters that seals cursors and secrets of webhooks, and derives ids',
    need: 'always',
    wrong:
      'another value invalidates issued cursors and tickets, and webhooks fail until they have new secrets',
    isSecret: true,
  },
  BASE_URL: {
    is: 'https address at which clients reach the hub',
    need: 'always',
    wrong: 'signatures for this hub are refused; http and hosts of this machine are refused',
  },
  LOCAL_NETWORK: {
    is: '`true` on a network of one machine: http and published keys are allowed',
    need: 'local networks',
    wrong: `with the address of other machines ${refused}`,
  },
  PROFILE: {
    is: 'JSON object with the members of the network profile that differ from the default: names, chain id',
    need: 'networks with names of their own',
    wrong: `a member that it cannot have: ${refused}. Other names than those of nodes and contracts: every hash and signature differs`,
  },
  PARAMS_CHANGES: {
    is: 'JSON list of changes of network parameters, each `{from, params}`; unless set, those that this version knows for the chain',
    need: 'test networks that change parameters',
    wrong: `a change that no network can have: ${refused}. Other changes than those of nodes: from then on they do no work`,
  },
  MAINTENANCE: {
    is: '`true` has the descriptor and `/v1/status` say `maintenance`',
    need: 'work during which clients should wait',
    wrong: 'clients wait without a reason',
  },
  WEB_HOSTS: {
    is: 'further hosts whose pages may ask wallets to sign in, comma separated',
    need: 'web pages on other hosts',
    wrong: 'sign-in on these pages is refused',
  },
  CONSOLE: {
    is: '`off` turns off the console',
    need: 'people who prefer a page to JSON',
    wrong: 'browsers get JSON at `/`',
  },
  CONSOLE_BRAND: {
    is: 'JSON object with `name`, `accent` (`#RRGGBB`) and `logo` (sha256 of an uploaded image) of the console',
    need: 'a console that looks like yours',
    wrong: 'the console shows another name or colour; the place of a missing logo stays empty',
  },
  OPERATOR_ADDRESSES: {
    is: 'wallets of operators, comma separated',
    need: 'the operator API',
    wrong: 'nobody, or a wrong wallet, decides about projects and nodes',
  },
  RATE_LIMIT_MULTIPLIER: {
    is: 'factor of all rate limits',
    need: 'networks with few callers',
    wrong: 'limits stop callers too early, or too late',
  },
  AUTO_APPROVE_DEVELOPERS: {
    is: '`true` approves developers as they enroll',
    need: 'networks without a review',
    wrong: 'strangers are verified developers',
  },
  AUTO_APPROVE_NODES: {
    is: '`true` counts validators without an operator',
    need: 'networks of one operator',
    wrong: 'strangers decide about results',
  },
  CHAIN_RPC_URL: {
    is: 'JSON-RPC nodes that take batches, comma separated, the preferred first. Secret if the addresses have keys in them',
    need: 'the chain',
    wrong: 'nothing is indexed or relayed; a node of another chain is refused',
  },
  CHAIN_NAME: {
    is: 'name of the chain in the descriptor',
    need: 'display',
    wrong: 'clients show another name',
  },
  CHAIN_COIN: {
    is: 'JSON object with `symbol` and `name` of the coin that pays for gas, such as `{"symbol":"POL","name":"POL"}`; `ETH` and `Ether` unless set',
    need: 'display',
    wrong: 'clients and wallets show another coin',
  },
  CHAIN_CONTRACTS: {
    is: 'JSON object with the addresses of the contracts',
    need: 'the chain',
    wrong: 'nothing is indexed, and actions fail',
  },
  CHAIN_START_BLOCK: {
    is: 'block before the first one with an event of the contracts',
    need: 'the chain',
    wrong: 'too late: events are missing; too early: the first indexing takes longer',
  },
  CHAIN_CONFIRMATIONS: {
    is: 'blocks, its own included, after which a relayed transaction is final',
    need: 'the relayer',
    wrong: `below the least of a known chain ${refused}`,
  },
  CHAIN_FINALITY_BLOCKS: {
    is: 'depth at which events are final; if left out, the nodes of the chain report it',
    need: 'chains without a finalized block',
    wrong: `below the least of a known chain ${refused}`,
  },
  CHAIN_WINDOW_BLOCKS: {
    is: 'blocks whose hashes are kept, to find the last common block of two histories',
    need: 'the index',
    wrong: 'a deeper reorganisation stops the index',
  },
  CHAIN_TIMEOUT_MS: {
    is: 'time after which a chain node counts as away',
    need: 'the chain',
    wrong: 'too short: working nodes are skipped',
  },
  CHAIN_BLOCK_SECS: {
    is: 'time from one block to the next; the hub looks for a new block once in this time',
    need: 'the chain',
    wrong: 'too short: more calls; too long: everything is seen later',
  },
  CHAIN_PUBLIC_RPC_URL: {
    is: 'chain node that clients may use, shown in the descriptor',
    need: 'clients without a node',
    wrong: 'clients cannot read the chain',
  },
  EXPLORER_URL: {
    is: 'block explorer, shown in the descriptor',
    need: 'display',
    wrong: 'links lead nowhere',
  },
  CLOCK: {
    is: '`system`, or `chain` on local networks whose time is moved',
    need: 'local networks',
    wrong: '`chain` on a public network makes the hub late',
  },
  RELAYER_PRIVATE_KEY: {
    is: 'key that submits and pays for actions; nothing else may sign with it',
    need: 'the relayer',
    wrong: 'without roles on the chain its actions fail',
    isSecret: true,
  },
  RELAYER_PREVIOUS_KEYS: {
    is: 'keys that relayed before this one, comma separated, while they have open actions',
    need: 'a change of the relayer',
    wrong: 'open actions are never final',
    isSecret: true,
  },
  ARBITER_PRIVATE_KEY: {
    is: 'key that decides disputes and vetoes; leave it out if a person decides',
    need: 'disputes decided by the hub',
    wrong: 'decisions fail on the chain',
    isSecret: true,
  },
  COORDINATOR_SEED: {
    is: 'ed25519 seed that signs calls to validators',
    need: 'validators',
    wrong: 'validators refuse the calls until they read the descriptor again',
    isSecret: true,
  },
  RELAYER_FEE_CAP_GWEI: {
    is: 'the most that a transaction may pay per gas',
    need: 'the relayer',
    wrong: 'too low: actions wait; too high: they cost more than expected',
  },
  RELAYER_TX_FEE_CAP_WEI: {
    is: 'the most that a transaction may pay in total',
    need: 'the relayer',
    wrong: 'nodes of the chain refuse more than 1 ether',
  },
  RELAYER_LOW_WEI: {
    is: 'balance below which operators get the alarm `relayer_low`',
    need: 'the relayer',
    wrong: 'too low: the alarm comes too late',
  },
  RELAYER_TICK_MS: {
    is: 'time between two checks of transactions by the relayer',
    need: 'the relayer',
    wrong: 'too short: more calls; too long: later answers',
  },
  RELAYER_STUCK_MS: {
    is: 'time after which a transaction is sent again at a higher price',
    need: 'the relayer',
    wrong: 'too short: higher fees',
  },
  RELAYER_GAS_PER_DAY: {
    is: 'gas that all wallets together may have relayed in a day',
    need: 'the relayer',
    wrong: 'too low: actions are refused; too high: the account is emptied',
  },
  RELAYER_OWNER_GAS_PERCENT: {
    is: 'percentage of that gas that one wallet may use',
    need: 'the relayer',
    wrong: 'one wallet takes what others need',
  },
  RELAY_ALLOWANCES: {
    is: 'JSON object with daily allowances of a wallet that differ from the default, by action',
    need: 'the relayer',
    wrong: 'actions of a kind are refused',
  },
  FAUCET_ENABLED: {
    is: '`false` closes the faucet until an operator opens it',
    need: 'the faucet',
    wrong: 'the faucet is closed',
  },
  FAUCET_AMOUNT_WEI: {
    is: 'tokens of a drip',
    need: 'the faucet',
    wrong: 'too much: the supply is gone early',
  },
  FAUCET_NATIVE_WEI: {
    is: 'native coin of a drip',
    need: 'the faucet',
    wrong: 'too much: the relayer is emptied',
  },
  FAUCET_NATIVE_RESERVE_WEI: {
    is: 'native coin that stays for relaying',
    need: 'the faucet',
    wrong: 'too low: the relayer runs out of gas',
  },
  FAUCET_COOLDOWN_SECONDS: {
    is: 'time between two drips of a wallet',
    need: 'the faucet',
    wrong: 'too short: the supply is gone early',
  },
  FAUCET_WALLETS_PER_ADDRESS: {
    is: 'wallets of one network address that may have a drip in that time',
    need: 'the faucet',
    wrong: 'too high: one person can take all drips',
  },
  FAUCET_DRIPS_PER_DAY: {
    is: 'drips of all wallets in a day',
    need: 'the faucet',
    wrong: 'too low: newcomers wait',
  },
  FAUCET_REQUIRES_VALIDATORS: {
    is: '`true` opens the faucet only while validators count',
    need: 'the faucet',
    wrong: 'the faucet is closed',
  },
  DIRECT_ROUNDS_ENABLED: {
    is: '`false` switches `POST /v1/execute` off',
    need: 'direct rounds',
    wrong: 'nobody can run a function without a project',
  },
  DIRECT_GAS_MAX: {
    is: 'most gas of one direct round',
    need: 'direct rounds',
    wrong: 'too high: validators refuse it',
  },
  DIRECT_KEEP_SECONDS: {
    is: 'how long direct rounds are kept',
    need: 'direct rounds',
    wrong: 'too short: results are gone when they are read',
  },
  DIRECT_KEEP_ROUNDS: { is: 'how many direct rounds are kept', need: 'direct rounds', wrong: 'as above' },
  DIRECT_KEEP_BYTES: { is: 'how much of direct rounds is kept', need: 'direct rounds', wrong: 'as above' },
  EVENTS_KEEP_DAYS: {
    is: 'how long events are kept',
    need: 'followers that were away',
    wrong: 'too short: followers miss events; too long: the database is full',
  },
  EVENTS_KEEP_BYTES: {
    is: 'how much of events is kept',
    need: 'followers that were away',
    wrong: 'as above',
  },
  ROUNDS_KEEP_DAYS: {
    is: 'how long rounds of tasks stay in the database before they are archived',
    need: 'lists of rounds',
    wrong: 'too short: lists end early; too long: the database is full',
  },
  ROUNDS_KEEP_ROWS: { is: 'how many rounds of tasks stay there', need: 'lists of rounds', wrong: 'as above' },
  ROUNDS_KEEP_BYTES: {
    is: 'size of the database above which rounds are archived as soon as their epoch is posted; D1 holds 10 GB',
    need: 'lists of rounds',
    wrong: 'too high: the database is full',
  },
}

function defaultOf(name: string): string | undefined {
  const { success, data } = settingFields[name as keyof typeof settingFields].safeParse(undefined)
  const isShown = success && /^(string|number|boolean|bigint)$/.test(typeof data) && data !== ''
  return isShown ? String(data) : undefined
}

/** The page docs/settings.md. */
export function settingsPage(): string {
  const rows = Object.entries(notes).map(([name, { is, need, wrong, isSecret }]) => {
    const value = defaultOf(name)
    const secret = isSecret ? 'yes' : ''
    return `| \`${name}\` | ${is} | ${value === undefined ? '' : `\`${value}\``} | ${secret} | ${need} | ${wrong} |`
  })
  return `# Settings of the hub

\`npm run -s deploy -- settings\` prints this page. The hub reads its settings before it answers a request: while one is wrong or missing, every request is answered with 503 and the names of all of them. [Deploy a hub](deploy.md) says where they are entered.

| Setting | Meaning | Default | Secret | Needed for | A wrong value |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}
