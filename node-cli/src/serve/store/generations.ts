import type { DatabaseSync } from 'node:sqlite'
import type { Attestation, SignedGeneration } from '../../../../protocol/committees/index.ts'

/** A generation under its hash. */
export interface HashedGeneration extends SignedGeneration {
  readonly hash: string
}

/** A generation that this node signed. */
export interface GivenSignature {
  readonly hash: string
  readonly signature: Attestation
  /** Unix seconds. */
  readonly effectiveAt: number
}

/** The generations of validators that this node follows, and those that it signed, for each network. */
export interface GenerationStore {
  /** What is kept, ascending by number without a gap. */
  readonly chain: (network: string) => readonly HashedGeneration[]
  /** Adds the next one, which was verified. */
  readonly extend: (network: string, generation: HashedGeneration) => void
  /** What this node signed of one number, in the order in which it did. */
  readonly signed: (network: string, generation: number) => readonly GivenSignature[]
  /** Stores a signature, which is on the disk when this returns. */
  readonly keepSigned: (network: string, generation: number, given: GivenSignature, now: number) => void
}

interface Row {
  readonly hash: string
  readonly document: string
  readonly coordinator: string
  readonly signatures: string
}

interface SignedRow {
  readonly hash: string
  readonly signature: string
  readonly effective_at: number
}

export function generationStore(db: DatabaseSync): GenerationStore {
  const chain = db.prepare(
    'SELECT hash, document, coordinator, signatures FROM validator_generations WHERE network = ? ORDER BY generation',
  )
  const extend = db.prepare('INSERT INTO validator_generations VALUES (?, ?, ?, ?, ?, ?)')
  const signed = db.prepare(
    'SELECT hash, signature, effective_at FROM signed_generations WHERE network = ? AND generation = ? ORDER BY id',
  )
  const keep = db.prepare(
    `INSERT INTO signed_generations (network, generation, hash, signature, effective_at, signed_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  return {
    chain: (network) =>
      (chain.all(network) as unknown as Row[]).map(({ hash, document, coordinator, signatures }) => ({
        hash,
        document: JSON.parse(document) as HashedGeneration['document'],
        coordinator: JSON.parse(coordinator) as Attestation,
        signatures: JSON.parse(signatures) as Attestation[],
      })),
    extend: (network, { hash, document, coordinator, signatures }) =>
      void extend.run(
        network,
        document.generation,
        hash,
        JSON.stringify(document),
        JSON.stringify(coordinator),
        JSON.stringify(signatures),
      ),
    signed: (network, generation) =>
      (signed.all(network, generation) as unknown as SignedRow[]).map(
        ({ hash, signature, effective_at }) => ({
          hash,
          signature: JSON.parse(signature) as Attestation,
          effectiveAt: effective_at,
        }),
      ),
    keepSigned: (network, generation, { hash, signature, effectiveAt }, now) =>
      void keep.run(network, generation, hash, JSON.stringify(signature), effectiveAt, now),
  }
}
