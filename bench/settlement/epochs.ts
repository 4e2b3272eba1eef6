/**
 * Measures an epoch with 10,000 recipients: its receipt checked and kept, posted, and each payout claimed with the proof that
 * the hub gives: `node scripts/nx.mjs node bench/settlement/epochs.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Miniflare } from 'miniflare'
import { accounts } from '../../localnet/accounts.ts'
import { makeSample } from '../../localnet/sample/make.ts'
import { startTemporaryNetwork } from '../../localnet/temporary-network.ts'
import { epochAt } from '../../protocol/committees/index.ts'
import {
  attestEpochReceipt,
  buildEpochReceipt,
  type EpochReceipt,
  hashEpochReceipt,
} from '../../protocol/earnings/index.ts'
import { hashConsensus, type ProjectManifest } from '../../protocol/manifest/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import { readNetwork } from '../../sdk/network.ts'
import { signedByNode } from '../../sdk/node-requests.ts'
import { waitFor } from '../../sdk/wait.ts'
import { type Claim, claimMany } from '../claims.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { startValidators } from './validators.ts'

const receiptsPath = '/v1/nodes/epoch-receipts'
const recipients = Number(process.argv[2] ?? 10_000)
const callersAtOnce = 16
const limitMs = 600_000

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

const folder = mkdtempSync(path.join(tmpdir(), 'epochs-'))
const network = await startTemporaryNetwork(folder, {
  inspectorPort: 0,
  callersNameAddress: true,
  vars: { RATE_LIMIT_MULTIPLIER: '1000' },
})
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
  const validators = await startValidators(client, 4)
  const db = await network.hub.miniflare.getD1Database('DB', 'hub')
  const consensus = await allowRecipients(db, projectId, recipients)
  await network.passTime(7_200)

  const epoch = epochAt(await client.now(), consensus.work.epoch_secs) - 1
  const units = Array.from({ length: recipients }, (_, i) => ({ miner: minerAt(i), units: 1 + (i % 7) }))
  const built = buildEpochReceipt(client.profile, { project_id: projectId, epoch, consensus, units })
  if (built === null) throw new Error('there is nothing to pay')
  const receipt_hash = hashEpochReceipt(built.body)
  const attestations = validators.seeds.map((seed) => attestEpochReceipt(client.profile, seed, receipt_hash))
  const receipt: EpochReceipt = { ...built.body, receipt_hash, attestations }

  console.log('| Step | Seconds | Most memory of the isolate |\n| --- | --- | --- |')
  const show = (step: string, { peak, seconds }: { peak: number; seconds: number }) =>
    console.log(`| ${step} | ${seconds.toFixed(1)} | ${peak.toFixed(0)} MiB |`)
  console.log(`| at rest | | ${(await memory.used()).toFixed(0)} MiB |`)
  const signed = await signedByNode(client, validators.seeds[0] ?? '')('POST', receiptsPath, receipt)
  show(
    'check and keep the receipt',
    await memory.peak(() => unwrap(client.client.POST(receiptsPath, signed as never))),
  )
  const stateOf = () =>
    db
      .prepare('SELECT state FROM epoch_receipts WHERE project_id = ? AND epoch = ?')
      .bind(projectId, epoch)
      .first<string>('state')
  show(
    'post its root',
    await memory.peak(() =>
      waitFor('the epoch to be posted', stateOf, (state) => state === 'settled', limitMs),
    ),
  )
  await network.passTime(7_200)

  const claims: Claim[] = []
  const asking = await memory.peak(async () => {
    const next = units.values()
    const askOneByOne = async () => {
      for (const { miner } of next) claims.push(...(await claimsOf(hub, miner)))
    }
    await Promise.all(Array.from({ length: callersAtOnce }, askOneByOne))
  })
  show(`ask for the ${claims.length} claims, ${callersAtOnce} at once`, asking)
  const paying = await memory.peak(async () => {
    await claimMany(rpcUrl, accounts.miner, claims)
    await waitFor(
      'the claims to be indexed',
      () => db.prepare('SELECT count(*) AS n FROM epoch_shares WHERE claimed_at IS NULL').first<number>('n'),
      (open) => open === 0,
      limitMs,
    )
  })
  show('claim and index all of them', paying)
  const { length: bytes } = JSON.stringify(receipt)
  const left = (await Promise.all(units.slice(0, 100).map(({ miner }) => claimsOf(hub, miner)))).flat()
  console.log(
    `\n${recipients} recipients, a receipt of ${(bytes / 1e6).toFixed(1)} MB, proofs of ${claims[0]?.proof.length} hashes, ${left.length} claims left`,
  )
  validators.stop()
} finally {
  memory.close()
  await network.stop()
  rmSync(folder, { recursive: true, force: true })
}

function minerAt(i: number): string {
  return `0x${(0xa000000 + i).toString(16).padStart(40, '0')}`
}

/** Gives the project another cap, as if it had been registered with it. @returns Its consensus. */
async function allowRecipients(db: Database, projectId: string, count: number) {
  const text = await db
    .prepare('SELECT manifest FROM project_versions WHERE project_id = ?')
    .bind(projectId)
    .first<string>('manifest')
  const { consensus } = JSON.parse(text ?? '') as ProjectManifest
  const economics = { ...consensus.economics, max_recipients_per_epoch: count }
  const changed = { ...consensus, economics }
  await db
    .prepare(
      `UPDATE project_versions SET consensus_hash = ?, manifest = json_set(manifest, '$.consensus', json(?))
        WHERE project_id = ?`,
    )
    .bind(hashConsensus(changed), JSON.stringify(changed), projectId)
    .run()
  return changed
}

async function claimsOf(hub: string, miner: string): Promise<Claim[]> {
  const response = await fetch(`${hub}/v1/me/claims?address=${miner}`)
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { items: Claim[] }).items
}
