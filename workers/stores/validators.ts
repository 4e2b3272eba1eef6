import { and, type Column, desc, eq, lt, lte, type SQL, sql } from 'drizzle-orm'
import {
  type Attestation,
  beaconTargetTime,
  type ValidatorGeneration,
} from '../../protocol/committees/index.ts'
import type { NetworkParams } from '../../protocol/identity/index.ts'
import { type Database, readRows, Store } from './database.ts'
import { committeeSets, nodes, validatorGenerations } from './schema/index.ts'
import { fromTemplate, prepared } from './statements.ts'

/** A validator of a generation, with what its node registered. */
export interface Validator {
  nodeId: string
  publicKey: string
  /** Null if it cannot be called: nobody registered the key, or it was ended at once. */
  url: string | null
  region: string | null
  /** When an operator ended the key at once: what it signs later counts for nothing. */
  revokedAt: number | null
  /** The time of the last heartbeat of its node, in Unix seconds; left out where nobody asks. */
  heardAt?: number | null
  capabilities?: readonly string[] | null
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
 * The keys of a generation that count for a document signed at a time. A key that was ended by then does not lower the quorum, so
 * it stays in the list, as a word that nobody can sign with.
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
  generation?.validators.filter(isCallable) ?? []

export const isCallable = (one: Validator): one is CallableValidator => one.url !== null

const { effectiveAt, wholeAt, generation: number, document: documents } = validatorGenerations

type Offset = Pick<NetworkParams, 'beacon_offset_secs'>
const secsOf = ({ beacon_offset_secs }: Offset): SQL => sql.raw(String(beacon_offset_secs))

/** The document of the generation whose validators count for the epoch of a row, as the protocol's `generationOfEpoch` says. */
export const generationOfEpoch = (
  { epoch, epochSecs }: Record<'epoch' | 'epochSecs', Column>,
  params: Offset,
): SQL =>
  sql`(SELECT ${documents} FROM ${validatorGenerations}
    WHERE ${effectiveAt} <= ${epoch} * ${epochSecs} - ${secsOf(params)} ORDER BY ${number} DESC LIMIT 1)`

/** The generations of validators that are whole, and who counts when. */
export class ValidatorStore extends Store {
  readonly #params: Offset
  constructor(db: Database, params: Offset) {
    super(db)
    this.#params = params
  }

  /**
   * The generation in force at a time, as the protocol's `generationAt` says. Null before there is one. @param knownAt - Leaves
   * out generations that were not whole by then, as for a record that was final by then.
   */
  async at(time: number, knownAt = Number.MAX_SAFE_INTEGER): Promise<Generation | null> {
    return this.#first(and(lte(effectiveAt, time), lte(wholeAt, knownAt)))
  }

  /** The generation whose validators count for an epoch, whenever that is counted. */
  async ofEpoch(epoch: number, epochSecs: number, knownAt?: number): Promise<Generation | null> {
    return this.at(beaconTargetTime(epoch, epochSecs, this.#params), knownAt)
  }

  /** The same for the epoch of a project that has a set, whose length the set says. */
  async ofSet(
    projectId: string,
    epoch: number,
    knownAt = Number.MAX_SAFE_INTEGER,
  ): Promise<Generation | null> {
    const time = sql`(SELECT ${committeeSets.epoch} * ${committeeSets.epochSecs} - ${secsOf(this.#params)} FROM ${committeeSets}
      WHERE ${committeeSets.projectId} = ${projectId} AND ${committeeSets.epoch} = ${epoch})`
    return this.#first(and(lte(wholeAt, knownAt), lte(effectiveAt, time)))
  }

  /** The generation of a number. */
  async find(generation: number): Promise<Generation | null> {
    return this.#first(eq(number, generation))
  }

  /** The end of the chain, also before it takes effect. */
  async last(): Promise<Generation | null> {
    return this.#first(undefined)
  }

  /** From when on the network has validators: its first generation counts until the next one does. Null without one. */
  async since(): Promise<number | null> {
    const [first] = await readRows<{ since: number }>(this.db, readSince({}))
    return first?.since ?? null
  }

  /**
   * The generations before a number, newest first. One is left out if the newer ones of the page have more than `bytesMax`
   * bytes.
   */
  async list(before: number | undefined, limit: number, bytesMax: number): Promise<Generation[]> {
    const size = sql`(length(${documents}) + length(${validatorGenerations.signatures}))`
    const sized = sql`SELECT *, sum(${size}) OVER (ORDER BY ${number} DESC) - ${size} AS bytes_before
      FROM ${newest(before === undefined ? undefined : lt(number, before), limit)}`
    return this.#read(
      sql`(SELECT * FROM (${sized}) WHERE bytes_before <= ${bytesMax}) AS ${validatorGenerations}`,
    )
  }

  async #first(where: SQL | undefined): Promise<Generation | null> {
    const [first] = await this.#read(newest(where, 1))
    return first ?? null
  }

  /** @param from - Some of the generations, under the name of the table. */
  async #read(from: SQL): Promise<Generation[]> {
    const { document, hash, coordinator, signatures } = validatorGenerations
    const { nodeId, url, region, revokedAt, lastHeartbeatAt, capabilities } = nodes
    // As a template of its own it keeps the names of its tables.
    const known = sql`(SELECT json_group_object(${nodeId},
        json_object('url', ${url}, 'region', ${region}, 'revokedAt', ${revokedAt}, 'heardAt', ${lastHeartbeatAt},
          'capabilities', json(${capabilities})))
      FROM json_each(${documents}, '$.validators') AS v JOIN ${nodes} ON ${nodeId} = v.value->>'node_id')`
    const rows = await this.db
      .select({ ...fromTemplate({ document, hash, coordinator, signatures }), known: sql<string>`${known}` })
      .from(from)
      .orderBy(desc(number))
    return rows.map(generationOf)
  }
}

/** Read with every task that is submitted, so its text is made once. */
const readSince = prepared(
  () => sql`SELECT ${effectiveAt} AS since FROM ${validatorGenerations} ORDER BY ${number} LIMIT 1`,
)

const newest = (where: SQL | undefined, limit: number): SQL => sql`(SELECT * FROM ${validatorGenerations}
  WHERE ${where ?? sql`true`} ORDER BY ${number} DESC LIMIT ${limit}) AS ${validatorGenerations}`

type GenerationRow = Record<'document' | 'hash' | 'coordinator' | 'signatures' | 'known', string>

type KnownNode = Pick<Validator, 'region' | 'revokedAt' | 'heardAt' | 'capabilities'> & { url: string }

function generationOf(row: GenerationRow): Generation {
  const document = JSON.parse(row.document) as ValidatorGeneration
  const known = JSON.parse(row.known) as Record<string, KnownNode>
  return {
    document,
    hash: row.hash,
    coordinator: JSON.parse(row.coordinator) as Attestation,
    signatures: JSON.parse(row.signatures) as Attestation[],
    validators: document.validators.map(({ node_id: nodeId, public_key: publicKey }) => {
      const {
        url,
        region = null,
        revokedAt = null,
        heardAt = null,
        capabilities = null,
      } = known[nodeId] ?? {}
      const callable = (revokedAt === null && url) || null
      return { nodeId, publicKey, url: callable, region, revokedAt, heardAt, capabilities }
    }),
  }
}
