import { existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../node-cli/src/engine/testing/random.ts'
import { hashBytes } from '../../protocol/encoding/index.ts'
import { hashPayload } from '../../protocol/execution/index.ts'
import type { DirectRound } from '../../protocol/identity/index.ts'
import { unixNow } from '../../scripts/hub/wallet.ts'
import { collector, echo, type TestArtifact } from '../../testing/node/artifacts.ts'
import { type NodeProcess, type StartingNode, startNodeProcess } from '../../testing/node/node-process.ts'

/** The promises of a node, which must hold after any kill. */
interface Promises {
  /** Answers with a vote, by the nonce of their rounds. */
  votes: Map<string, { round: DirectRound; text: string }>
  /** Hashes of receipts that were answered, each as often as it was. */
  receipts: string[]
  chunks: Map<string, Uint8Array>
  modules: Set<string>
}

const nothingFound = () => ({
  /** Answers that came before the kill. */
  answered: 0,
  /** Requests whose answer never came. */
  unanswered: 0,
  /** Rounds without an answer whose vote was stored all the same, and was given then. */
  votesFound: 0,
  /** Broken promises; none when the store is whole. */
  problems: [] as string[],
})

type KilledPoint = ReturnType<typeof nothingFound>

/** Kills a node at a seeded moment of its work, again and again on one data directory, and looks whether it keeps its word. */
export class KilledNode {
  readonly #dist: string
  readonly #dataDir: string
  #node: NodeProcess | undefined
  readonly #promises: Promises = { votes: new Map(), receipts: [], chunks: new Map(), modules: new Set() }

  constructor(dist: string, dataDir: string) {
    this.#dist = dist
    this.#dataDir = dataDir
  }

  get given() {
    const { votes, receipts, chunks } = this.#promises
    return { votes: votes.size, receipts: receipts.length, chunks: chunks.size }
  }

  async point(seed: number) {
    const random = new Random(seed)
    /** Whether the node is killed before it serves. */
    const whileStarting = random.chance(10)
    const point = nothingFound()
    if (whileStarting) await this.#startUntilKilled(random)
    else await this.#workUntilKilled(this.#node ?? (await this.#start().serving), random, point)
    this.#inspect(point)
    await this.#askAgain(random, point)
    return { ...point, whileStarting }
  }

  async stop(): Promise<void> {
    await this.#node?.kill()
  }

  #start(): StartingNode {
    return startNodeProcess(this.#dist, this.#dataDir, { flags: ['--chunk-storage', '64'] })
  }

  async #startUntilKilled(random: Random): Promise<void> {
    await this.#node?.kill()
    const node = this.#start()
    node.serving.catch(() => {})
    await pause(random.below(400))
    await node.kill()
  }

  /** Sends work from several callers at once, and kills the node in the middle of it. */
  async #workUntilKilled(node: NodeProcess, random: Random, point: KilledPoint): Promise<void> {
    await this.#bring(node)
    // The threads of a node start with its first execution, which takes longer than those to be interrupted.
    await this.#execute(node, collector)
    let isOver = false
    const caller = async (own: Random): Promise<void> => {
      while (!isOver) {
        try {
          await this.#request(node, own)
          point.answered += 1
        } catch {
          point.unanswered += 1
          return
        }
      }
    }
    const callers = Array.from({ length: 1 + random.below(8) }, () => caller(new Random(random.next())))
    await pause(random.below(300))
    isOver = true
    await node.kill()
    await Promise.all(callers)
  }

  async #bring(node: NodeProcess): Promise<void> {
    for (const { address, bytes } of [echo, collector])
      if (!this.#promises.modules.has(address)) {
        await node.call(`/modules/${address}`, { method: 'PUT', body: bytes })
        this.#promises.modules.add(address)
      }
  }

  async #request(node: NodeProcess, random: Random): Promise<void> {
    const choice = random.below(10)
    if (choice < 5) await this.#vote(node, this.#newRound(random))
    else if (choice < 8) await this.#execute(node, random.pick([echo, collector]))
    else await this.#putChunk(node, random)
  }

  /** Kept before it is sent, so that a round whose answer is lost is asked for again. */
  #newRound(random: Random): DirectRound {
    const module = random.pick([echo, collector])
    const nonce = Array.from({ length: 4 }, () => random.next().toString(16).padStart(8, '0')).join('')
    const round = { ...callOf(module), input_hash: hashPayload(input), issued_at: unixNow(), nonce }
    this.#promises.votes.set(nonce, { round, text: '' })
    return round
  }

  async #vote(node: NodeProcess, round: DirectRound): Promise<void> {
    const body = { module: round.module_address, function: round.function, input: inputText, round }
    this.#promises.votes.get(round.nonce)!.text = await this.#post(node, body)
  }

  async #execute(node: NodeProcess, module: TestArtifact): Promise<void> {
    const { module_address, function: name, gas_limit } = callOf(module)
    const body = { module: module_address, function: name, gas_limit, input: inputText }
    await this.#post(node, body)
  }

  async #post(node: NodeProcess, body: object): Promise<string> {
    const reply = await node.call('/execute', { method: 'POST', body })
    if (reply.status !== 200) throw new Error(reply.text)
    this.#promises.receipts.push(reply.json.receipt.receipt.receipt_hash)
    return reply.text
  }

  async #putChunk(node: NodeProcess, random: Random): Promise<void> {
    const bytes = new Uint8Array(1 + random.below(20_000)).fill(random.below(256))
    const hash = hashBytes(bytes)
    const { status } = await node.call(`/chunks/${hash}`, { method: 'PUT', body: bytes })
    if (status === 200 || status === 201) this.#promises.chunks.set(hash, bytes)
  }

  /** Looks into the files that the kill left, before any process mends them. */
  #inspect(point: KilledPoint): void {
    const file = path.join(this.#dataDir, 'node.sqlite')
    if (!existsSync(file)) return
    const db = new DatabaseSync(file)
    try {
      const integrity = db.prepare('PRAGMA integrity_check').get()?.integrity_check
      if (integrity !== 'ok') point.problems.push(`integrity_check: ${integrity}`)
      if (this.#promises.modules.size === 0) return
      const kept = new Map<string, number>()
      for (const { receipt_hash } of db.prepare('SELECT receipt_hash FROM ledger').all())
        kept.set(String(receipt_hash), (kept.get(String(receipt_hash)) ?? 0) + 1)
      for (const hash of this.#promises.receipts) {
        const left = (kept.get(hash) ?? 0) - 1
        if (left < 0) point.problems.push(`the receipt ${hash} is lost`)
        kept.set(hash, left)
      }
      this.#inspectStorage(db, point)
    } finally {
      db.close()
    }
  }

  /**
   * Each run of the collector adds one character, but those of rounds, which nobody decides here: storage, sequence and
   * ledger must tell the same number.
   */
  #inspectStorage(db: DatabaseSync, point: KilledPoint): void {
    const one = (sql: string) => Number(db.prepare(sql).get(collector.address)?.value ?? 0)
    const runs = one(
      'SELECT count(*) AS value FROM ledger WHERE address = ? AND id NOT IN (SELECT ledger_id FROM direct_rounds)',
    )
    const stored = one('SELECT length(value) AS value FROM storage WHERE address = ?')
    const sequence = one('SELECT sequence AS value FROM sequences WHERE address = ?')
    if (stored !== runs || sequence !== runs)
      point.problems.push(`runs in the ledger: ${runs}, storage: ${stored}, sequence: ${sequence}`)
  }

  /** Starts the node again, and asks for the votes and chunks that it promised. */
  async #askAgain(random: Random, point: KilledPoint): Promise<void> {
    const node = await this.#start().serving
    this.#node = node
    await this.#bring(node)
    const { votes, chunks } = this.#promises
    const open = [...votes.values()].filter(({ text }) => text === '')
    const before = (await node.call('/status')).json.counts.votes as number
    for (const { round } of open) await this.#vote(node, round)
    const after = (await node.call('/status')).json.counts.votes as number
    point.votesFound = open.length - (after - before)
    // A vote that was found has its receipt in the ledger already; one that is new adds it.
    for (const { round, text } of sample(random, [...votes.values()], 20)) {
      const body = { module: round.module_address, function: round.function, input: inputText, round }
      const reply = await node.call('/execute', { method: 'POST', body })
      if (reply.text !== text) point.problems.push(`another vote in round ${round.nonce}`)
    }
    for (const [hash, bytes] of sample(random, [...chunks], 5)) {
      const reply = await node.call(`/chunks/${hash}`)
      if (reply.status !== 200 || reply.headers['content-length'] !== String(bytes.length))
        point.problems.push(`the chunk ${hash} is lost`)
    }
  }
}

const inputText = '{"a":1}'
const input = Buffer.from(inputText)

const callOf = ({ address }: TestArtifact) => ({
  module_address: address,
  function: address === echo.address ? 'echo' : 'f',
  gas_limit: 10_000_000,
})

const sample = <T>(random: Random, all: readonly T[], count: number): T[] =>
  all.length <= count ? [...all] : Array.from({ length: count }, () => random.pick(all))
