import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveProfile } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { folderWithKey } from '../testing/node/folders.ts'
import { serveHere } from '../testing/node/node-here.ts'
import { startNodeProcess } from '../testing/node/node-process.ts'
import { dist } from '../testing/node/nodectl.ts'
import { nodeClauses } from './clauses.ts'
import { Findings } from './findings.ts'
import { ScriptedHub } from './node/hub.ts'
import { usualPatience } from './node/index.ts'
import { Script } from './node/script.ts'
import { differing, isChosen } from './testing/differing.ts'
import { type Fault, readMissing } from './testing/fault.ts'
import { startFaultProxy } from './testing/fault-proxy.ts'
import { faults } from './testing/faults.ts'

const profile = resolveProfile()
const noFault: Fault = { name: 'none', breaks: [] }

/** Our node, and a proxy between it and a scripted hub. @param isKilled - Whether the node has a process, which is killed. */
async function createStage(isKilled: boolean) {
  const seed = `0x${randomBytes(32).toString('hex')}`
  const dataDir = folderWithKey(seed)
  let script: Script | null = null
  const stage = {
    hub: (): ScriptedHub => hub,
    baitOf: (offerId: string) => script?.ledger.baitOf(offerId) ?? null,
  }
  const proxy = await startFaultProxy(stage, { profile, seed })
  const nodeKey = ed25519PublicKey(seed)
  // A frame that does not come has a marker in its place, so nobody waits for this long.
  const patience = { ...usualPatience, answerMs: 120_000 }
  const hub: ScriptedHub = await ScriptedHub.start(
    { profile, nodeKey, patience, readMissing, nodeOrigin: proxy.origin },
    new Findings(nodeClauses),
  )
  let kill = async (): Promise<void> => {}
  const node = {
    kill: () => kill(),
    start: async () => {
      const flags = ['--hub-url', proxy.origin, '--workers', '1', '--log-format', 'json']
      if (isKilled) {
        const started = startNodeProcess(dist, dataDir, { flags })
        kill = started.kill
        await started.serving
      } else {
        const { stop } = await serveHere(dataDir, { flags })
        kill = async () => void (await stop())
      }
    },
  }
  onTestFinished(async () => {
    await kill()
    await hub.stop()
    await proxy.stop()
  })
  let isStarted = false
  /** Runs the script with a fault. @returns A finding for each clause: kept, broken or unseen. */
  const run = async (fault: Fault) => {
    proxy.use(fault)
    const findings = new Findings(nodeClauses)
    script = new Script({ hub, profile, nodeKey, findings })
    if (!isStarted) await node.start()
    isStarted = true
    await (fault.restarts !== undefined ? script.playRestarts(node) : script.play())
    const found = findings.all()
    if (fault.restarts === undefined) {
      proxy.use(noFault)
      await script.leave()
    }
    return found
  }
  return { run }
}

const runAll = async (some: readonly Fault[], isKilled = false) =>
  differing((await createStage(isKilled)).run, some)

describe('a node with one fault breaks exactly the clauses that the table says', () => {
  test('the table has at least 40 faults', () => expect(faults.length).toBeGreaterThanOrEqual(40))

  const restarting = faults.filter(({ restarts }) => restarts)
  const others = faults.filter(({ restarts }) => !restarts)
  // Most of the time nodes wait before they connect again, so the usual run takes a quarter of them, from each group of clauses.
  const chosen = others.filter(isChosen)
  test(`one running node with ${chosen.length} faults, one after the other`, async () => {
    const shares = [0, 1].map((share) => chosen.filter((_, i) => i % 2 === share))
    const wrong = await Promise.all(shares.map((some, i) => runAll(i === 0 ? [noFault, ...some] : some)))
    expect(wrong.flat()).toEqual([])
  }, 1_200_000)

  const timeout = 300_000
  test.each(restarting.map((fault) => [fault.name, fault] as const))('%s', { timeout }, async (_, fault) => {
    expect(await runAll([fault], fault.restarts === 'killed')).toEqual([])
  })
})
