import { CanonicalJsonError, isBytes32, isUnsigned } from '../../../../protocol/encoding/index.ts'
import { artifactBytesMax } from '../../../../protocol/hbc/artifact.ts'
import { type Consensus, hashConsensus } from '../../../../protocol/manifest/index.ts'
import type { Task } from '../../../../protocol/rounds/index.ts'
import { limits, NodeFault } from '../../engine/index.ts'
import { NoAnswer, OversizedAnswer, requestBytes } from '../../http-json.ts'
import type { FoundSeat, ReadSet, SetHead } from '../background/attested-sets.ts'
import type { LoadedModule } from '../execution/module-library.ts'
import { type HubClient, HubError, originOf } from '../hub/index.ts'
import { Members } from '../hub/members.ts'
import { readRetryAfter } from '../hub/retry-after.ts'
import type { ServeNode } from '../node.ts'
import { HubAway, OfferRefused } from './offer-refused.ts'

/** 65,536 entries of some 480 bytes, twice. */
const setBytesMax = 64 * 1024 * 1024
const setSeconds = 60
const moduleSeconds = 30
const inputSeconds = 10
const headsMax = 64
const consensusMax = 64
const versionPagesMax = 10

/** What a node asks its hub for to judge an offer. Nothing of it is believed that a hash or a signature does not bear out. */
export class OfferSources {
  readonly #node: ServeNode
  readonly #client: HubClient
  readonly #stop: AbortSignal
  readonly #heads = new Remembered<SetHead>(headsMax)
  readonly #consensus = new Remembered<Consensus>(consensusMax)
  readonly #modules = new Remembered<LoadedModule>(1)

  /** @param stop ends what is being read. */
  constructor(node: ServeNode, client: HubClient, stop: AbortSignal) {
    this.#node = node
    this.#client = client
    this.#stop = stop
  }

  /** The attested set that a task names. @throws {@link OfferRefused} */
  set({ project_id, epoch, set_hash }: Task): Promise<SetHead> {
    return this.#heads.get(set_hash, async () => {
      const head = await this.#readSet(`/v1/committees/${project_id}/${epoch}`)
      if (head.set_hash !== set_hash)
        throw new OfferRefused('incompatible', `the attested set of the epoch is ${head.set_hash}`)
      return head
    })
  }

  /** The seat of this node in the draw of a task over a set that was read. */
  async seat(task: Task, consensus: Consensus): Promise<Extract<FoundSeat, { status: 'drawn' }>['seat']> {
    const find = () =>
      this.#node.background.run('findSeat', {
        setHash: task.set_hash,
        seq: task.seq,
        rules: { committee: consensus.work.committee, params: this.#node.params() },
        publicKey: this.#node.identity.publicKey,
      })
    const found = await find()
    if (found.status === 'drawn') return found.seat
    this.#heads.forget(task.set_hash)
    await this.set(task)
    const again = await find()
    if (again.status === 'drawn') return again.seat
    throw new OfferRefused('busy', 'the set was put aside for others before it was drawn from')
  }

  /** The rules of a project under their hash. @throws {@link OfferRefused} */
  consensus(projectId: string, consensusHash: string): Promise<Consensus> {
    return this.#consensus.get(consensusHash, async () => {
      const inForce = await this.#call(`/v1/projects/${projectId}/manifest`, readConsensus)
      if (hashOf(inForce) === consensusHash) return inForce as Consensus
      const version = await this.#findVersion(projectId, consensusHash)
      const found =
        version === null
          ? null
          : await this.#call(`/v1/projects/${projectId}/versions/${version}`, (answer) =>
              readConsensus(membersOf(answer).signed_manifest),
            )
      if (hashOf(found) === consensusHash) return found as Consensus
      throw new OfferRefused(
        'incompatible',
        `the hub has no version of the project with the rules ${consensusHash}`,
      )
    })
  }

  /** A module that the node keeps, or else one that the hub has. @throws {@link OfferRefused} */
  async module(address: string): Promise<LoadedModule> {
    return (await this.#kept(address)) ?? this.#modules.get(address, () => this.#download(address))
  }

  async #kept(address: string): Promise<LoadedModule | null> {
    try {
      return await this.#node.library.find(address)
    } catch (error) {
      // It was damaged since it was stored; the artifact of the hub mends it.
      if (error instanceof NodeFault) return null
      throw error
    }
  }

  /** The input of an offer that is too large to stand in it. @throws {@link OfferRefused} */
  async input(address: string): Promise<Uint8Array> {
    const url = new URL(address)
    // Whoever could name another place would have this node call what is behind its own firewall.
    if (originOf(url) !== originOf(new URL(this.#client.origin)))
      throw new OfferRefused(
        'incompatible',
        `the input is to be read from ${url.origin}, which is not the hub`,
      )
    const bytes = await this.#bytes(url.pathname + url.search, limits.input, inputSeconds)
    if (bytes !== null) return bytes
    throw new OfferRefused('incompatible', 'the hub does not have the input that it names')
  }

  async #readSet(target: string): Promise<SetHead> {
    const bytes = await this.#bytes(target, setBytesMax, setSeconds)
    if (bytes === null) throw new OfferRefused('incompatible', 'the hub has no attested set for the epoch')
    const first = await this.#judgeSet(bytes)
    const read = first.status === 'unattested' ? await this.#judgeByNewestGenerations(bytes) : first
    if (read.status === 'attested') return read.head
    if (read.status === 'invalid')
      throw new OfferRefused('incompatible', `the set of the epoch is not acceptable: ${read.problem}`)
    if (read.generation === null)
      throw new HubAway('this node knows no generation of validators for the epoch', null)
    if (this.#node.generationFollower?.isHubAway)
      throw new HubAway('the hub does not say which validators there are now', null)
    throw new OfferRefused(
      'incompatible',
      `no quorum of generation ${read.generation} of the validators has signed the set of the epoch`,
    )
  }

  #judgeSet(bytes: Uint8Array): Promise<ReadSet> {
    const { background, params, generations } = this.#node
    return background.run('readAttestedSet', { bytes, params: params(), generations: generations.chain })
  }

  /** This node may not know the first generation yet, or not an emergency one that has signed. */
  async #judgeByNewestGenerations(bytes: Uint8Array): Promise<ReadSet> {
    await this.#node.generationFollower?.ask()
    return this.#judgeSet(bytes)
  }

  async #findVersion(projectId: string, consensusHash: string): Promise<number | null> {
    let cursor: string | null = null
    for (let page = 0; page < versionPagesMax; page++) {
      const query: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const { versions, next } = await this.#call(`/v1/projects/${projectId}/versions${query}`, readVersions)
      const found = versions.find((version) => version.consensusHash === consensusHash)
      if (found !== undefined) return found.version
      if (next === null) return null
      cursor = next
    }
    return null
  }

  async #download(address: string): Promise<LoadedModule> {
    const { library } = this.#node
    const bytes = await this.#bytes(`/v1/modules/${address}/hbc`, artifactBytesMax, moduleSeconds)
    if (bytes === null) throw new OfferRefused('unknown_module', `the hub has no module ${address}`)
    const added = await library.add(address, bytes)
    if (added.status === 'invalid')
      throw new OfferRefused(
        'unknown_module',
        `what the hub has as module ${address} is none: ${added.message}`,
      )
    const module = added.status === 'other_address' ? null : await library.find(address)
    if (module !== null) return module
    throw new OfferRefused('unknown_module', `what the hub has as module ${address} has another address`)
  }

  async #bytes(target: string, answerBytesMax: number, timeoutSeconds: number): Promise<Uint8Array | null> {
    const { origin } = this.#client
    try {
      const { status, headers, bytes } = await requestBytes(origin + target, null, {
        timeoutSeconds,
        answerBytesMax,
        stop: this.#stop,
      })
      if (status >= 500 || status === 429)
        throw new HubAway(`the hub cannot answer GET ${target} now (${status})`, readRetryAfter(headers))
      return status === 200 ? (bytes ?? null) : null
    } catch (error) {
      if (error instanceof OversizedAnswer)
        throw new OfferRefused('incompatible', `the hub sent ${error.message} for GET ${target}`)
      if (error instanceof NoAnswer)
        throw new HubAway(`the hub did not answer GET ${target}: ${error.message}`, null)
      throw error
    }
  }

  #call<T>(target: string, read: (answer: unknown) => T): Promise<T> {
    return this.#orRefuse(() => this.#client.call({ method: 'GET', target }, read))
  }

  async #orRefuse<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      if (error.isPassing) throw new HubAway(error.message, error.retryAfterSeconds)
      throw new OfferRefused('incompatible', error.message)
    }
  }
}

/** Remembers what was found last, and lets all who ask at once wait for one answer. A failure is not remembered. */
class Remembered<T> {
  readonly #max: number
  readonly #found = new Map<string, Promise<T>>()

  constructor(max: number) {
    this.#max = max
  }

  get(key: string, find: () => Promise<T>): Promise<T> {
    const found = this.#found.get(key) ?? find()
    this.forget(key)
    this.#found.set(key, found)
    found.catch(() => this.#found.get(key) === found && this.forget(key))
    for (const oldest of this.#found.keys()) {
      if (this.#found.size <= this.#max) break
      this.forget(oldest)
    }
    return found
  }

  forget(key: string): void {
    this.#found.delete(key)
  }
}

const anything = (value: unknown): value is unknown => value !== undefined
const membersOf = (answer: unknown): { readonly signed_manifest: unknown } => ({
  signed_manifest: new Members(answer).get('signed_manifest', anything, 'a signed manifest'),
})

const readConsensus = (signed: unknown): unknown =>
  new Members(signed).object('manifest').get('consensus', anything, 'the rules of a project')

function readVersions(answer: unknown): {
  readonly versions: readonly { readonly version: number; readonly consensusHash: string }[]
  readonly next: string | null
} {
  const page = new Members(answer)
  const isText = (value: unknown): value is string => typeof value === 'string'
  return {
    versions: page.objects('items', 200).map((item) => ({
      version: item.get('version', isUnsigned, 'a number'),
      consensusHash: item.get('consensus_hash', isBytes32, 'a hash'),
    })),
    next: page.optional('next_cursor', isText, 'a text'),
  }
}

/** Null for what has no hash. The shape follows from the hash: validators signed it, and who wrote it kept the rules. */
function hashOf(consensus: unknown): string | null {
  try {
    return hashConsensus(consensus as Consensus)
  } catch (error) {
    if (error instanceof CanonicalJsonError) return null
    throw error
  }
}
