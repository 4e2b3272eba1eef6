import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { builtNodectl } from '../../localnet/nodes/build.ts'
import type { LocalNode } from '../../localnet/nodes/local-node.ts'
import type { LongKind, LongRunOptions } from '../harness/kind.ts'
import { type NodeNetwork, startNodeNetwork } from '../network/node-network.ts'
import { Soak } from './soak.ts'

/** Real nodes end and come back while tasks are given, and their memory is watched. Linux only. */
export const soak: LongKind = { run }

async function run(options: LongRunOptions): Promise<object> {
  const { length: minutes, say, problem, problems } = options
  const folder = mkdtempSync(path.join(tmpdir(), 'node-soak-'))
  const network: NodeNetwork = await startNodeNetwork({
    folder,
    miners: 5,
    hub: { inspectorPort: 0 },
    // An epoch ends, and is settled, in the middle of it.
    untilEpochEnd: minutes * 30,
    programs: [{ dist: await builtNodectl() }],
    onLoss: ({ name, plan }: LocalNode) => problem(`${name} ended by itself: ${plan.logFile}`),
  })
  say(`${network.validators.length + network.miners.length} nodes serve; logs are in ${folder}`)
  try {
    return await new Soak(network, options).run()
  } finally {
    await network.stop()
    // Logs of what went wrong are looked at.
    if (problems.length === 0) rmSync(folder, { recursive: true })
  }
}
