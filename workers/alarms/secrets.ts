import { createHmac } from 'node:crypto'
import type { Settings } from '../env.ts'
import type { SeenSecret } from '../stores/hub-metrics.ts'

/** Secrets that are replaced for their age, in order. Previous keys of the relayer are old, and leave when their actions are done. */
const agingSecrets = ['ARBITER_PRIVATE_KEY', 'COORDINATOR_SEED', 'HUB_SECRET', 'RELAYER_PRIVATE_KEY'] as const

/** So short that very many values have the same one: it tells a change, and confirms no guess. */
const fingerprintDigits = 8

/** The secrets that a hub has, each with a fingerprint that tells whether it was replaced. */
export const fingerprintsOf = (
  settings: Pick<Settings, (typeof agingSecrets)[number]>,
): Omit<SeenSecret, 'seenAt'>[] =>
  agingSecrets.flatMap((name) => {
    const secret = settings[name]
    if (secret === undefined) return []
    const mac = createHmac('sha256', secret).update(name).digest('hex')
    return { name, fingerprint: mac.slice(0, fingerprintDigits) }
  })
