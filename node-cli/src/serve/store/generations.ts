import type { DatabaseSync } from 'node:sqlite'
import type { Attestation, SignedGeneration } from '../../../../protocol/committees/index.ts'

export interface HashedGeneration extends SignedGeneration {
  readonly hash: string
}

export interface GivenSignature {
  readonly hash: string
  readonly signature: Attestation
  /** Unix seconds. */
  readonly effectiveAt: number
}

type Row = Readonly<Record<keyof HashedGeneration, string>>

export type GenerationStore = Readonly<ReturnType<typeof generationStore>>

/** The generations of validators that this node follows, and those that it signed, for each network. */
export function generationStore(db: DatabaseSync) {
  const chain = db.prepare(
    'SELECT hash, document, coordinator, signatures FROM validator_generations WHERE network = ? ORDER BY generation',
  )
  const extend = db.prepare('INSERT INTO validator_generations VALUES (?, ?, ?, ?, ?, ?)')
  const signed = db.prepare(
    'SELECT hash, signature, effective_at AS effectiveAt FROM signed_generations WHERE network = ? AND generation = ? ORDER BY id',
  )
  const keep = db.prepare(
    `INSERT INTO signed_generations (network, generation, hash, signature, effective_at, signed_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  return {
    /** The generations that are kept, ascending by number without a gap. */
    chain: (network: string): readonly HashedGeneration[] =>
      (chain.all(network) as unknown as Row[]).map(({ hash, document, coordinator, signatures }) => ({
        hash,
        document: JSON.parse(document) as HashedGeneration['document'],
        coordinator: JSON.parse(coordinator) as Attestation,
        signatures: JSON.parse(signatures) as Attestation[],
      })),
    /** Adds the next one, which was verified. */
    extend: (network: string, { hash, document, coordinator, signatures }: HashedGeneration) =>
      void extend.run(
        network,
        document.generation,
        hash,
        JSON.stringify(document),
        JSON.stringify(coordinator),
        JSON.stringify(signatures),
      ),
    /** The signatures of this node for one number, in the order in which it gave them. */
    signed: (network: string, generation: number): readonly GivenSignature[] =>
      (signed.all(network, generation) as unknown as (GivenSignature & { signature: string })[]).map(
        (row) => ({
          ...row,
          signature: JSON.parse(row.signature) as Attestation,
        }),
      ),
    /** Stores a signature, which is on the disk when this returns. */
    keepSigned: (network: string, generation: number, given: GivenSignature, now: number) => {
      const { hash, signature, effectiveAt } = given
      keep.run(network, generation, hash, JSON.stringify(signature), effectiveAt, now)
    },
  }
}
