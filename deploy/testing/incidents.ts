import { generatePrivateKey } from 'viem/accounts'
import { type Anvil, startAnvil } from '../../contracts/anvil.ts'
import { driverOf } from '../../testing/driver.ts'
import { register } from '../../testing/registrations.ts'
import { epoch, epochSecs, nowSecs, project, type RunbookStage, relayer } from './runbook-stage.ts'

export interface Status {
  database: string
  module_storage: string
  queue: string
  relayer: string
  time: number
  chain: { finalizing: boolean; halted: string | null }
  late: { what: string }[] | null
}

interface Incident {
  /** Settings that the hub has meanwhile. */
  readonly vars?: Record<string, string>
  /** The same, of a hub that has nothing of the others. */
  readonly apart?: () => Promise<Record<string, string>>
  readonly provoke?: () => Promise<unknown>
  /** Whether the hub has noticed. */
  readonly isSeen?: (status: Status) => boolean
  readonly mend?: () => Promise<unknown>
  /** Patterns of the output of the first three commands, in order. */
  readonly says: readonly [RegExp, RegExp, RegExp]
}

/** By the name of the page, what happens before an operator opens it. @param invoked - Notes a request that the log of the hub has. */
export function incidentsOf(
  stage: () => RunbookStage,
  invoked: (method: string, place: string, status: number) => void,
): Record<string, Incident> {
  let halted: Anvil

  const listed = (status = 'listed') =>
    stage().insert('projects', {
      project_id: project,
      slug: 'weather',
      listing_status: status,
      created_at: nowSecs() - 9_000,
    })
  const unposted = async (over: Record<string, unknown>) => {
    await listed()
    const totals = { gross: '9', miner: '7', developer: '1', treasury: '1' }
    const token = { address: `0x${'70'.repeat(20)}`, symbol: 'HUB', decimals: 18 }
    await stage().insert('epoch_receipts', {
      ...{
        project_id: project,
        epoch: epoch() - 2,
        epoch_secs: epochSecs,
        starts_at: (epoch() - 2) * epochSecs,
      },
      ...{
        totals: JSON.stringify(totals),
        token: JSON.stringify(token),
        accepted_at: nowSecs() - 4_000,
        ...over,
      },
    })
  }
  const removed =
    (...tables: string[]) =>
    async () => {
      for (const table of tables) await stage().query(`DELETE FROM ${table}`)
    }

  return {
    'chain-does-not-finalise': {
      // The chain calls blocks final, unlike a local one: its last final block is half an hour behind its head.
      async apart() {
        halted = await startAnvil({
          flags: ['--chain-id', '11155111', '--timestamp', String(nowSecs() - 7_200)],
        })
        await halted.rpc('anvil_mine', '0xc8', '0x14')
        return {
          ...{ PROFILE: '{"chain_id":11155111}', CHAIN_RPC_URL: halted.url },
          ...{
            CHAIN_CONFIRMATIONS: '12',
            CHAIN_FINALITY_BLOCKS: '96',
            RELAYER_PRIVATE_KEY: generatePrivateKey(),
          },
        }
      },
      isSeen: ({ chain }) => chain.finalizing === false && chain.halted === null,
      says: [
        /chain\.finalizing +false/,
        /FAIL +finality of the chain has stopped: see .*chain-does-not-finalise/,
        /^none/,
      ],
      mend: () => halted.stop(),
    },
    'relayer-out-of-gas': {
      provoke: () => stage().balance(0n),
      isSeen: (status) => status.relayer === 'unavailable',
      says: [
        /^relayer\.balance +0$/m,
        /^relayer +unavailable/m,
        /relayer: 0x\w+ has nothing to pay with: send it/,
      ],
      mend: () => stage().balance(10n ** 20n),
    },
    'transaction-stuck': {
      async provoke() {
        await stage().anvil.rpc('evm_setAutomine', false)
        const call = driverOf(stage().hub().driverUrl, 'RELAYER', `31337:${relayer.toLowerCase()}`)
        await call('relay', register(stage().environment.chain.contracts as never))
        stage().inRelayer('UPDATE relays SET accepted_at_ms = accepted_at_ms - 600000')
      },
      isSeen: (status) => status.relayer === 'unavailable',
      says: [/^relayer\.overdue +1$/m, /^relayer +unavailable/m, /FAIL +relayer is unavailable/],
      async mend() {
        await stage().anvil.rpc('evm_setAutomine', true)
        await stage().anvil.rpc('evm_mine')
      },
    },
    'rpc-provider': {
      provoke: async () => stage().gate.close(),
      isSeen: (status) => status.relayer === 'unavailable',
      says: [
        /^relayer +unavailable/m,
        /FAIL +contracts chain\.rpc_urls: 127\.0\.0\.1:\d+ does not answer/,
        /^relayer\.balance +–/m,
      ],
      mend: async () => stage().gate.open(),
    },
    'validators-away': {
      async provoke() {
        await listed()
        await stage().insert('rounds', {
          ...{
            round_id: `task:${project}:1:1:0`,
            kind: 'task',
            state: 'committee_agreed',
            project_id: project,
          },
          ...{ epoch: epoch(), issued_at: nowSecs() - 9_000, agreed_at: nowSecs() - 9_000 },
        })
      },
      isSeen: ({ late }) => late?.some(({ what }) => what === 'rounds_without_quorum') ?? false,
      says: [/rounds_without_quorum/, /^none/, /^pending +–/],
      mend: removed('rounds', 'projects'),
    },
    'set-not-attested': {
      async provoke() {
        await listed()
        await stage().insert('epochs_without_set', {
          ...{ project_id: project, epoch: epoch(), epoch_secs: epochSecs, noted_at: nowSecs() - 900 },
        })
      },
      isSeen: ({ late }) => late?.some(({ what }) => what === 'set_not_built') ?? false,
      says: [new RegExp(`set_not_built .*${project}`), /^none/, /ok +chain index/],
      mend: removed('epochs_without_set', 'projects'),
    },
    'epoch-not-posted': {
      async provoke() {
        await unposted({ state: 'attested', settlement: 'reverted' })
        await stage().insert('dead_letters', {
          ...{
            message_id: `post_epoch:${project}:${epoch() - 2}`,
            queue: 'hub_actions',
            died_at: nowSecs(),
          },
        })
      },
      says: [/attested/, /post_epoch:/, /^relayer\.signer/m],
      mend: removed('epoch_receipts', 'dead_letters', 'projects'),
    },
    'vault-short': {
      provoke: () => unposted({ state: 'underfunded', settlement: 'reverted' }),
      says: [/underfunded/, /none/, /status/],
      mend: removed('epoch_receipts', 'projects'),
    },
    database: {
      provoke: () => stage().hub().break({ database: true }),
      isSeen: (status) => status.database === 'unavailable',
      says: [/^database +unavailable/m, /D1_ERROR/, /bookmark/],
      mend: () => stage().hub().break({}),
    },
    'r2-away': {
      provoke: () => stage().hub().break({ files: true }),
      isSeen: (status) => status.module_storage === 'unavailable',
      says: [/^module_storage +unavailable/m, /internal error/, /FAIL +module_storage is unavailable/],
      mend: () => stage().hub().break({}),
    },
    'dead-letters': {
      provoke: () =>
        stage().insert('dead_letters', {
          message_id: 'm-1',
          queue: 'round-rows',
          body: '{"round_id":"r-1"}',
          died_at: nowSecs(),
        }),
      isSeen: (status) => status.queue === 'unavailable',
      says: [/m-1 +round-rows/, /^queue +unavailable/m, /^/],
      mend: removed('dead_letters'),
    },
    'object-overloaded': {
      provoke: () => stage().hub().break({ overloaded: project }),
      says: [/Durable Object is overloaded/, /^status/m, /none/],
      mend: () => stage().hub().break({}),
    },
    'deploy-gone-wrong': {
      provoke: async () => stage().keepWholeAccount(),
      says: [/v2 .*→ v1 .*\n?[\s\S]*v1 has all traffic/, /^ok +contracts$/m, /^status +ok/m],
    },
    flood: {
      async provoke() {
        const flood = { method: 'POST', headers: { 'CF-Connecting-IP': '203.0.113.9' } }
        for (let calls = 0; calls < 200; calls++) {
          const { status } = await fetch(stage().url('/v1/auth/nonce'), flood)
          if (status === 429) return invoked('POST', '/v1/auth/nonce', status)
        }
        throw new Error('Nobody is told 429.')
      },
      says: [/"status": 429/, /enabled +false/, /^relayer\.gas_today/m],
    },
    'key-leaked': {
      provoke: async () => stage().keepWholeAccount(),
      says: [/faucet/, /^relayer\.signer/m, /^ok +contracts$/m],
    },
    'bad-project': {
      async provoke() {
        await listed()
        const report = {
          category: 'misleading',
          severity: 'high',
          reason: 'It promises what it does not do.',
        }
        await stage().insert('project_reports', {
          report_id: 'r-1',
          project_id: project,
          ...report,
          created_at: nowSecs(),
        })
      },
      says: [/misleading/, /none/, /faucet/],
      mend: removed('project_reports', 'projects'),
    },
    'wrong-slash': {
      async provoke() {
        await listed()
        const hash = `0x${'51'.repeat(32)}`
        await stage().insert('chain_states', {
          ...{ kind: 'slash', subject: hash, state: JSON.stringify({ status: 'proposed', outcome: null }) },
        })
        await stage().insert('slashes', {
          ...{ evidence_hash: hash, kind: 'equivocation', project_id: project, created_at: nowSecs() },
          ...{
            dispute_filed_at: nowSecs(),
            dispute_reason: 'The key was copied.',
            dispute_links: '[]',
            amount: '5',
          },
        })
      },
      says: [/0x5151/, /faucet/, /^status/m],
      mend: removed('slashes', 'projects'),
    },
    'domain-or-certificate': {
      async provoke() {
        stage().keepWholeAccount()
        stage().loseDomain(true)
      },
      says: [
        /FAIL +GET \/ does not answer .*check that the domain leads to the Worker/,
        /The hub answers at https:\/\/hub\.example\.org/,
        /version_id/,
      ],
      mend: async () => {
        stage().loseDomain(false)
      },
    },
    // From here on each has settings of its own.
    'index-halted': {
      vars: { CHAIN_START_BLOCK: '1' },
      isSeen: ({ chain }) => chain.halted !== null,
      says: [
        /chain\.halted +The index was started with other settings: /,
        /FAIL +chain index has stopped: .*other settings/,
        /^none/,
      ],
    },
    'clock-wrong': {
      vars: { CLOCK: 'chain' },
      provoke: async () => {
        await stage().anvil.rpc('evm_increaseTime', 95)
        await stage().anvil.rpc('evm_mine')
      },
      isSeen: ({ time }) => time > nowSecs() + 60,
      says: [/FAIL +clock is \d\d s ahead of this machine/, /^status/m, /^none/],
    },
    'hub-away': {
      vars: { BASE_URL: 'http://hub.example.org' },
      says: [
        /FAIL +GET \/ answers 503: .*refuses all requests until its settings are correct/,
        /Wrong settings: BASE_URL: is http/,
        /problem +.*refuses all requests/,
      ],
    },
  }
}
