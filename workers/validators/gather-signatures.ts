import {
  type Attestation,
  countAttestations,
  generationSigners,
  generationText,
  isAttested,
} from '../../protocol/committees/index.ts'
import { deriveNodeId } from '../../protocol/identity/index.ts'
import type { Coordinator } from '../coordinator.ts'
import type { Settings } from '../env.ts'
import { verifyNatively } from '../native-ed25519.ts'
import type { Services } from '../services.ts'
import type { PendingGeneration } from '../stores/pending-generations.ts'
import { type CallableValidator, callable, type Generation } from '../stores/validators.ts'
import { inTurns } from './ask-each.ts'
import { askValidator } from './ask-validator.ts'
import { dueAt, isInTime } from './lapse.ts'
import { renewGeneration } from './make-generation.ts'

type Sources = Pick<Services, 'clock' | 'coordinator' | 'pendingGenerations' | 'validators'>

const utf8 = new TextEncoder()

/**
 * Asks the last generation to sign the one that waits, and completes it once a quorum has. The coordinator signs last, and only
 * a document that is in time, so it signs only one document of each number. A generation that lapses is made again. This
 * function may be repeated, and end, at any point.
 * @returns Seconds until it is to be tried again; null when none waits any more.
 */
export async function gatherSignatures(sources: Sources, settings: Settings): Promise<number | null> {
  const { clock, coordinator, pendingGenerations, validators } = sources
  const [found, last] = await Promise.all([pendingGenerations.find(), validators.last()])
  if (found === null || last === null || coordinator === null) return null
  const now = await clock.now()
  const due = dueAt(last.document, found, now)
  if (due > now) return due - now
  if (!isInTime(last.document, found.document, now)) {
    await renewGeneration(sources, settings.PROFILE, last, found, now)
    return gatherSignatures(sources, settings)
  }
  if (!(await pendingGenerations.attempt(found, now))) return 1
  await askMissing(sources, settings, found, last)
  return conclude(sources, settings, coordinator)
}

/** Ends the wait of a generation that a quorum has signed in time. */
async function conclude(
  { clock, pendingGenerations, validators }: Sources,
  settings: Settings,
  coordinator: Coordinator,
): Promise<number | null> {
  const { PROFILE: profile } = settings
  const [asked, last] = await Promise.all([pendingGenerations.find(), validators.last()])
  if (asked === null || last === null) return null
  const { document, hash } = asked
  const text = generationText(profile, hash)
  const signatures = countedSignatures(settings, asked, last)
  const signers = generationSigners(last.document, document)
  const isWhole = isAttested(profile, text, signatures, signers, verifyNatively)
  const now = await clock.now()
  if (!isWhole || !isInTime(last.document, document, now))
    return Math.max(1, dueAt(last.document, asked, now) - now)
  await pendingGenerations.complete(asked, coordinator.attest(text), signatures, now)
  return null
}

/** A key signs nothing any more once it was ended; what it had signed before counts. */
const countedSignatures = (
  { PROFILE: profile }: Settings,
  { signatures }: PendingGeneration,
  { validators }: Generation,
): Attestation[] =>
  signatures.flatMap(({ publicKey, signature, receivedAt }) => {
    const revokedAt = validators.find((one) => one.publicKey === publicKey)?.revokedAt ?? null
    return revokedAt === null || receivedAt < revokedAt
      ? [{ node_id: deriveNodeId(profile, publicKey), public_key: publicKey, signature }]
      : []
  })

async function askMissing(
  sources: Sources,
  settings: Settings,
  pending: PendingGeneration,
  last: Generation,
): Promise<void> {
  const known = new Set(pending.signatures.map(({ publicKey }) => publicKey))
  const signers = new Set(generationSigners(last.document, pending.document))
  const missing = callable(last).filter(({ publicKey }) => signers.has(publicKey) && !known.has(publicKey))
  await inTurns(missing, (validator) => askOne(sources, settings, pending, validator))
}

async function askOne(
  { clock, coordinator, pendingGenerations }: Sources,
  { PROFILE: profile, LOCAL_NETWORK: isLocal }: Settings,
  { document, hash }: PendingGeneration,
  { url, publicKey }: CallableValidator,
): Promise<void> {
  if (coordinator === null) return
  const body = utf8.encode(JSON.stringify({ document }))
  const call = { path: '/consensus/validator-generations', body, now: await clock.now() }
  const answer = await askValidator(url, call, { coordinator, isLocal })
  const text = generationText(profile, hash)
  if (countAttestations(profile, text, [answer], [publicKey], verifyNatively) === 1)
    await pendingGenerations.sign(hash, answer as Attestation, await clock.now())
}
