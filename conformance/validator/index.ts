import type { Profile } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { validatorClauses } from '../clauses.ts'
import { type Finding, Findings } from '../findings.ts'
import { ScriptedHub } from '../node/hub.ts'
import { usualPatience } from '../node/index.ts'
import { generationsWith } from '../node/network.ts'
import type { Restarts } from '../node/script.ts'
import { ValidatorScript } from './script.ts'

export interface ValidatorToTest {
  readonly profile: Profile
  /** The seed of its key. */
  readonly seed: string
  /** The URL at which it has to answer. */
  readonly url: string
  /** Told where the hub is. */
  readonly launch: (origin: string) => Restarts
}

/** The hub's answers to a validator, with the validator itself among those of the network. */
export const answersFor = (profile: Profile, nodeKey: string) => ({
  ...generationsWith(profile, nodeKey),
  'POST /v1/nodes/register': () => ({ node_id: 'node', role: 'validator', status: 'approved', url: null }),
})

/** Has a validator meet a scripted hub. @returns What was seen of each clause. */
export async function conformValidator({ profile, seed, url, launch }: ValidatorToTest): Promise<Finding[]> {
  const findings = new Findings(validatorClauses)
  const nodeKey = ed25519PublicKey(seed)
  const hub = await ScriptedHub.start(
    { profile, nodeKey, patience: usualPatience, hasLinks: false },
    findings,
  )
  hub.publish(answersFor(profile, nodeKey))
  const node = launch(hub.origin)
  try {
    const script = new ValidatorScript({ hub, profile, nodeKey, url, findings })
    await node.start()
    await script.play(usualPatience.answerMs)
    await script.playRestarts(node, usualPatience.answerMs)
  } finally {
    await node.kill()
    await hub.stop()
  }
  return findings.all()
}
