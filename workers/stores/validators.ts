import { type SQL, sql } from 'drizzle-orm'
import {
  type Attestation,
  beaconTargetTime,
  type ValidatorGeneration,
} from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { Store } from './database.ts'
import { committeeSets, nodes, validatorGenerations } from './schema/index.ts'

/** A validator of a generation, with what its node registered. */
export interface Validator {
  nodeId: string
  publicKey: string
  /** Null where it cannot be called: nobody registered the key, or it was ended at once. */
  url: string | null
  region: string | null
  /** When an operator ended the key at once: what it signs later counts for nothing. */
  revokedAt: number | null
}

/** A generation that the coordinator and a quorum of the one before have signed. */
export interface Generation {
  document: ValidatorGeneration
  hash: string
  coordinator: Attestation
  signatures: readonly Attestation[]
  /** In the order of their keys. */
  validators: readonly Validator[]
}

/** A validator that can be called. */
export type CallableValidator = Validator & { url: string }

/** The public keys of a generation, ascending; without one, nobody's. */
export const keysOf = (generation: Generation | null): string[] =>
  generation?.validators.map(({ publicKey }) => publicKey) ?? []

/**
 * The keys of a generation as what was signed at a time is counted: a key that was ended by then is there, since it does not
 * lower the quorum, as a word that nobody can sign with.
 */
export const countingKeys = (generation: Generation | null, signedAt: number): string[] =>
  generation?.validators.map(({ publicKey, revokedAt }) =>
    revokedAt !== null && revokedAt <= signedAt ? `ended ${publicKey}` : publicKey,
  ) ?? []

/** Names the generation that counts, for those that are told they are not in it. */
export const describeGeneration = (generation: Generation | null): string =>
  generation === null
    ? 'no generation of validators exists'
    : `its generation of validators is ${generation.document.generation}`

/** The validators of a generation that may be asked. */
export const callable = (generation: Generation | null): CallableValidator[] =>
  generation?.validators.filter((one): one is CallableValidator => one.url !== null) ?? []

/** The time that decides which generation counts for an epoch. */
const targetTime = (epoch: number, epochSecs: number): number =>
  beaconTargetTime(epoch, epochSecs, defaultNetworkParams)

/**
 * The column `column` of the generation whose validators count for the epoch of a row with `epoch` and `epoch_secs`, as the
 * protocol's `generationOfEpoch` says.
 */
export const generationOfEpochRow = (row: string, column: string): SQL =>
  sql.raw(`(SELECT ${column} FROM validator_generations
    WHERE effective_at <= ${row}.epoch * ${row}.epoch_secs - ${defaultNetworkParams.beacon_offset_secs}
    ORDER BY generation DESC LIMIT 1)`)

/** The generations of validators that are whole, and who counts when. */
export class ValidatorStore extends Store {
  /**
   * The generation in force at a time, as the protocol's `generationAt` says. Null before there is one.
   *
   * @param knownAt - Leaves out what was not whole by then, as for what was final by then.
   */
  async at(time: number, knownAt = Number.MAX_SAFE_INTEGER): Promise<Generation | null> {
    return this.#first(sql`WHERE effective_at <= ${time} AND whole_at <= ${knownAt}`)
  }

  /** The generation whose validators count for an epoch, whenever that is counted. */
  async ofEpoch(epoch: number, epochSecs: number, knownAt?: number): Promise<Generation | null> {
    return this.at(targetTime(epoch, epochSecs), knownAt)
  }

  /** The same for the epoch of a project that has a set, whose length the set says. */
  async ofSet(
    projectId: string,
    epoch: number,
    knownAt = Number.MAX_SAFE_INTEGER,
  ): Promise<Generation | null> {
    return this.#first(sql`WHERE whole_at <= ${knownAt} AND effective_at <=
      (SELECT epoch * epoch_secs - ${defaultNetworkParams.beacon_offset_secs} FROM ${committeeSets}
        WHERE project_id = ${projectId} AND epoch = ${epoch})`)
  }

  /** The generation of a number. */
  async find(generation: number): Promise<Generation | null> {
    return this.#first(sql`WHERE generation = ${generation}`)
  }

  /** The end of the chain, also before it takes effect. */
  async last(): Promise<Generation | null> {
    return this.#first(sql``)
  }

  /** Newest first: those before a number, and after the first no more than so many bytes. */
  async list(before: number | undefined, limit: number, bytesMax: number): Promise<Generation[]> {
    const size = sql.raw('(length(document) + length(signatures))')
    return this.#read(sql`
      FROM (SELECT *, sum(${size}) OVER (ORDER BY generation DESC) - ${size} AS bytes_before
        FROM (SELECT * FROM ${validatorGenerations}
          ${before === undefined ? sql`` : sql`WHERE generation < ${before}`}
          ORDER BY generation DESC LIMIT ${limit})) AS g
      WHERE bytes_before <= ${bytesMax} ORDER BY generation DESC`)
  }

  async #first(where: SQL): Promise<Generation | null> {
    const [first] = await this.#read(
      sql`FROM (SELECT * FROM ${validatorGenerations} ${where} ORDER BY generation DESC LIMIT 1) AS g`,
    )
    return first ?? null
  }

  async #read(from: SQL): Promise<Generation[]> {
    const rows = await this.db.all<GenerationRow>(sql`
        SELECT g.document, g.hash, g.coordinator, g.signatures,
          (SELECT json_group_object(n.node_id, json_object('url', n.url, 'region', n.region, 'revokedAt', n.revoked_at))
            FROM json_each(g.document, '$.validators') AS v
            JOIN ${nodes} AS n ON n.node_id = v.value->>'node_id') AS known
        ${from}`)
    return rows.map(generationOf)
  }
}

interface GenerationRow {
  document: string
  hash: string
  coordinator: string
  signatures: string
  known: string
}

type KnownNode = Pick<Validator, 'region' | 'revokedAt'> & { url: string }

function generationOf(row: GenerationRow): Generation {
  const document = JSON.parse(row.document) as ValidatorGeneration
  const known = JSON.parse(row.known) as Record<string, KnownNode>
  return {
    document,
    hash: row.hash,
    coordinator: JSON.parse(row.coordinator) as Attestation,
    signatures: JSON.parse(row.signatures) as Attestation[],
    validators: document.validators.map(({ node_id: nodeId, public_key: publicKey }) => {
      const { url, region = null, revokedAt = null } = known[nodeId] ?? {}
      return { nodeId, publicKey, url: (revokedAt === null && url) || null, region, revokedAt }
    }),
  }
}
