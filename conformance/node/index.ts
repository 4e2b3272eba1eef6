import type { Profile } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { nodeClauses } from '../clauses.ts'
import { type Finding, Findings } from '../findings.ts'
import { type Patience, ScriptedHub } from './hub.ts'
import { type Restarts, Script } from './script.ts'

export const usualPatience: Patience = { answerMs: 20_000, silenceMs: 3_000 }

export interface NodeToTest {
  readonly profile: Profile
  /** The seed of its key. */
  readonly seed: string
  readonly port?: number
  readonly patience?: Patience
  /** Told where the hub is. */
  readonly launch: (origin: string) => Restarts
}

/** Has a node meet a scripted hub. @returns What was seen of each clause. */
export async function conformNode(options: NodeToTest): Promise<Finding[]> {
  const { profile, seed, port, patience = usualPatience, launch } = options
  const findings = new Findings(nodeClauses)
  const nodeKey = ed25519PublicKey(seed)
  const hub = await ScriptedHub.start(
    { profile, nodeKey, patience, ...(port !== undefined && { port }) },
    findings,
  )
  const node = launch(hub.origin)
  try {
    const script = new Script({ hub, profile, nodeKey, findings })
    await node.start()
    await script.play()
    await script.playRestarts(node)
  } finally {
    await node.kill()
    await hub.stop()
  }
  return findings.all()
}
