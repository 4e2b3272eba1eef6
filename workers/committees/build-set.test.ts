import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { beaconValue, hashSnapshot } from '../../protocol/committees/index.ts'
import { hashBytes, hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams, resolveProfile } from '../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { services } from '../services.ts'
import type { CandidatePosition, CandidateRow } from '../stores/set-candidates.ts'
import { createListedProject, minCollateral } from '../test/subscription.ts'
import { buildSet } from './build-set.ts'

const profile = resolveProfile()
const count = 2_500
const owner = `0x${'0a'.repeat(20)}`

const rowAt = (i: number): CandidateRow => {
  const nodeKey = `0x${i.toString(16).padStart(64, '0')}`
  return {
    subscriptionId: hashText(`subscription ${i}`),
    nodeKey,
    closings: 0,
    pausedAt: null,
    reputation: 5_000,
    binding: { binding_hash: hashText(`binding ${i}`), owner, public_key: nodeKey },
    isFaulty: false,
    state: { status: 'bonded', owner, payout: owner, collateral: String(minCollateral), slash_lows: [] },
    stateBlock: 1,
  }
}

test('a large set is read in pages, written in parts, hashed while it is stored, and streamed into its object', async () => {
  const pages: number[] = []
  const candidates = {
    page: async (_: string, { nodeKey }: CandidatePosition, limit: number) => {
      const first = nodeKey === '' ? 0 : Number(BigInt(nodeKey)) + 1
      const rows = Array.from({ length: Math.min(limit, count - first) }, (_, i) => rowAt(first + i))
      pages.push(rows.length)
      return rows
    },
    // Nothing has changed since the beacon block.
    async *eventsUpTo() {},
  }
  const projectId = await createListedProject({ economics: { min_collateral: String(minCollateral) } })
  const version = await services(env).projectVersions.find(projectId, 1)
  const { consensus } = JSON.parse(version?.manifest ?? '') as ProjectManifest
  const block_hash = hashText('block')
  const beacon = { block_number: 7, block_hash, value: beaconValue(profile, block_hash) }
  const document = await buildSet({
    profile,
    params: defaultNetworkParams,
    projectId,
    epoch: 498_000,
    consensus,
    beacon,
    candidates,
  })

  expect(pages).toEqual([1_000, 1_000, 500])
  expect(document.entries).toBe(count)
  // No piece is more than a quarter of a mebibyte and one entry.
  expect(document.pieces.length).toBeGreaterThan(3)
  for (const piece of document.pieces) expect(piece.length).toBeLessThan(257 * 1024)
  expect(document.pieces.reduce((sum, { length }) => sum + length, 0)).toBe(document.bytes)

  const { committeeSets } = services(env)
  const { size, min_size, backups } = consensus.work.committee
  const committee = { size, min_size, backups }
  const set = { projectId, epoch: 498_000, epochSecs: consensus.work.epoch_secs, committee, builtAt: 1 }
  expect(await committeeSets.insert(set, document)).toBe('created')
  const stored = new Uint8Array(await new Response(await committeeSets.open(document.setHash)).arrayBuffer())
  expect(hashBytes(stored)).toBe(document.setHash)
  const snapshot = await committeeSets.readSnapshot(document.setHash)
  expect(hashSnapshot(snapshot)).toBe(document.setHash)
  expect((await committeeSets.readCandidates(document.setHash)).entries).toEqual(
    snapshot.entries.map(({ node_key, collateral, reputation }) => ({ node_key, collateral, reputation })),
  )
})
