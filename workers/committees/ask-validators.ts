import type { SetListener } from '../../durable-objects/project/object.ts'
import { Waiters } from '../../durable-objects/waiters.ts'
import { quorum } from '../../protocol/committees/index.ts'
import { batchBytesMax } from '../../protocol/link/index.ts'
import type { Settings } from '../env.ts'
import type { Services } from '../services.ts'
import type { KeptAttestation, ReadSet } from '../stores/committee-sets.ts'
import { type CallableValidator, isCallable, type Validator } from '../stores/validators.ts'
import { inTurns, waitingMax } from '../validators/ask-each.ts'
import { askValidator } from '../validators/ask-validator.ts'
import { isAttestationOf } from '../validators/attestation.ts'
import { overLinks } from '../validators/over-links.ts'

/** A validator that is silent on its link for this long is called by HTTP. */
const linkMs = 5_000
/** The time that is left for the others after a quorum. */
const graceMs = 1_000
/** How many bytes the bodies of all calls of validators that wait may hold together. */
const bodyBytesMax = 16 * 1024 * 1024

export interface AskingSources {
  sources: Pick<Services, 'clock' | 'committeeSets' | 'coordinator' | 'links'>
  settings: Pick<Settings, 'PROFILE' | 'LOCAL_NETWORK'>
  /** Has answers handed to a listener, until it is null. */
  listen: (listener: SetListener | null) => void
}

/**
 * Asks the validators of an epoch that have not attested a set: over their links, and those that are silent there, or have none, by HTTP
 * while a quorum is missing. @returns Whether a quorum has attested it.
 */
export async function askForAttestations(
  asking: AskingSources,
  set: ReadSet,
  validators: readonly Validator[],
): Promise<boolean> {
  const { coordinator, committeeSets } = asking.sources
  if (coordinator === null) return false
  const known = new Set(set.attestations.map(({ publicKey }) => publicKey))
  const missing = validators.filter(({ publicKey, revokedAt }) => revokedAt === null && !known.has(publicKey))
  if (missing.length === 0) return false
  const body = new Uint8Array(await new Response(await committeeSets.open(set.setHash)).arrayBuffer())
  const counted = validators.filter(({ publicKey, revokedAt }) => revokedAt === null && known.has(publicKey))
  const wanted = quorum(validators.length) - counted.length
  const { isValid, others } = await askOverLinks(asking, { set, body, wanted }, missing)
  // Also after a quorum: some of it may be replaced while the epoch runs.
  return (await askByHttp(asking, { set, body }, others.filter(isCallable))) || isValid
}

interface Asked {
  set: ReadSet
  body: Uint8Array
  /** Attestations that a quorum lacks. */
  wanted: number
}

async function askOverLinks(
  { sources, settings, listen }: AskingSources,
  { set, body, wanted }: Asked,
  validators: readonly Validator[],
): Promise<{ isValid: boolean; others: readonly Validator[] }> {
  // Such a set makes a frame that keeps others waiting.
  if (body.length > batchBytesMax) return { isValid: false, others: validators }
  const { committeeSets, clock, links } = sources
  const found = new Map<string, KeptAttestation>()
  const asked = new Set(validators.map(({ publicKey }) => publicKey))
  const heard = new Set<string>()
  const waiting = new Waiters()
  listen(async (nodeKey, { epoch, attestation }) => {
    if (epoch !== set.epoch || !asked.has(nodeKey)) return null
    heard.add(nodeKey)
    const isValid = isAttestationOf(settings.PROFILE, set.setHash, nodeKey, attestation)
    if (isValid) found.set(nodeKey, { publicKey: nodeKey, signature: attestation.signature })
    waiting.look()
    return isValid || attestation === undefined
      ? null
      : `The answer about epoch ${epoch} of ${set.projectId} is not an attestation of ${set.setHash}.`
  })
  try {
    const text = new TextDecoder().decode(body)
    const { taken, others } = await overLinks(validators, ({ publicKey }) => links(publicKey).attest(text))
    const silent = () => taken.filter(({ publicKey }) => !heard.has(publicKey))
    await waiting.until(() => found.size >= wanted || silent().length === 0, linkMs)
    if (found.size >= wanted) await waiting.until(() => silent().length === 0, graceMs)
    const isValid =
      found.size > 0 && (await committeeSets.attest(set, [...found.values()], await clock.now()))
    return { isValid, others: [...others, ...silent()] }
  } finally {
    listen(null)
  }
}

async function askByHttp(
  { sources, settings }: AskingSources,
  { set, body }: Omit<Asked, 'wanted'>,
  validators: readonly CallableValidator[],
): Promise<boolean> {
  const { coordinator, committeeSets, clock } = sources
  const { PROFILE: profile, LOCAL_NETWORK: isLocal } = settings
  if (coordinator === null) return false
  let isValid = false
  const ask = async ({ url, publicKey }: CallableValidator) => {
    const call = { path: '/consensus/committee-sets', body, now: await clock.now() }
    const answer = await askValidator(url, call, { coordinator, isLocal })
    if (!isAttestationOf(profile, set.setHash, publicKey, answer)) return
    const kept = [{ publicKey, signature: answer.signature }]
    isValid = (await committeeSets.attest(set, kept, await clock.now())) || isValid
  }
  const together = Math.max(1, Math.min(waitingMax, Math.floor(bodyBytesMax / body.length)))
  await inTurns(validators, ask, undefined, together)
  return isValid
}
