/**
 * Measures the committee set of 65,536 nodes: building and attesting it, serving it, and drawing from it:
 * `node scripts/nx.mjs node bench/settlement/snapshots.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Miniflare } from 'miniflare'
import { makeSample } from '../../localnet/sample/make.ts'
import { startTemporaryNetwork } from '../../localnet/temporary-network.ts'
import { snapshotEntriesMax } from '../../protocol/committees/index.ts'
import { readNetwork } from '../../sdk/network.ts'
import { waitFor } from '../../sdk/wait.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { startValidators } from './validators.ts'

const entries = Number(process.argv[2] ?? snapshotEntriesMax)
const validatorsCount = 4
const limitMs = 600_000

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

const folder = mkdtempSync(path.join(tmpdir(), 'snapshots-'))
const network = await startTemporaryNetwork(folder, { inspectorPort: 0, callersNameAddress: true })
const memory = await IsolateMemory.open(await network.hub.miniflare.getInspectorURL())
try {
  const { url: hub, rpcUrl, contracts } = network
  const { projectId } = await makeSample({
    hub,
    rpcUrl,
    contracts,
    devicesFolder: path.join(folder, 'devices'),
  })
  const client = await readNetwork(hub)
  const validators = await startValidators(client, validatorsCount)
  const db = await network.hub.miniflare.getD1Database('DB', 'hub')
  await subscribeMany(db, projectId, entries)

  console.log('| Step | Seconds | Most memory of the isolate |\n| --- | --- | --- |')
  const show = (step: string, { peak, seconds }: { peak: number; seconds: number }) =>
    console.log(`| ${step} | ${seconds.toFixed(1)} | ${peak.toFixed(0)} MiB |`)
  console.log(`| at rest | | ${(await memory.used()).toFixed(0)} MiB |`)

  const readSet = () =>
    db
      .prepare('SELECT epoch, entries, bytes, attested_at FROM committee_sets WHERE entries > 100')
      .first<{ epoch: number; entries: number; bytes: number; attested_at: number | null }>()
  const building = await memory.peak(async () => {
    await network.passTime(7_200)
    return waitFor('the set to be built', readSet, (set) => set !== null, limitMs)
  })
  show('build and store', building)
  const attesting = await memory.peak(() =>
    waitFor('the set to be attested', readSet, (set) => typeof set?.attested_at === 'number', limitMs),
  )
  show(`have ${validatorsCount} validators attest it`, attesting)
  const { epoch, bytes } = attesting.result as { epoch: number; bytes: number }

  const target = `${hub}/v1/committees/${projectId}/${epoch}`
  const download = async () => {
    const response = await fetch(target)
    let length = 0
    for await (const piece of response.body ?? []) length += piece.length
    if (response.status !== 200 || length < bytes) throw new Error(`${response.status} with ${length} bytes`)
  }
  show('one download', await memory.peak(download))
  show('four downloads at once', await memory.peak(() => Promise.all([1, 2, 3, 4].map(download))))
  const draw = async (seq: number) => {
    const response = await fetch(`${target}/${seq}`)
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  }
  show('one draw', await memory.peak(() => draw(1)))
  show('four draws at once', await memory.peak(() => Promise.all([2, 3, 4, 5].map(draw))))
  console.log(`\n${building.result?.entries} entries, ${(bytes / 1e6).toFixed(1)} MB`)
  validators.stop()
} finally {
  memory.close()
  await network.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Bonded subscriptions of devices, without the way there: the hub's rows, and what the index has of block 1. */
async function subscribeMany(db: Database, projectId: string, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const hex = (bytes: number, salt: number) => `printf('0x%0${2 * bytes}x', i * 2654435761 + ${salt})`
  const [key, id, owner, binding] = [hex(32, 1), hex(32, 2), hex(20, 3), hex(32, 4)]
  for (const statement of [
    `INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at)
      ${numbers} SELECT ${key}, ${key}, ${owner}, ${binding}, 1 FROM n`,
    `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, reputation,
        credited_rounds, missed_leases, disagreements, created_at)
      ${numbers} SELECT ${id}, '${projectId}', ${owner}, ${key}, ${key}, 0, 5000, 0, 0, 0, 1 FROM n`,
    `INSERT INTO chain_states (kind, subject, state, owner, block_number)
      ${numbers} SELECT 'subscription', ${id}, json_object('status', 'bonded', 'owner', ${owner}, 'project_id',
        '${projectId}', 'node_key', ${key}, 'collateral', '100000000000000000000', 'payout', ${owner},
        'started_at', 1, 'slashed_total', '0', 'slash_lows', json('[]')), ${owner}, 1 FROM n`,
  ])
    await db.prepare(statement).run()
}
