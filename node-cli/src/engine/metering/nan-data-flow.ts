import { type NanKind, nanBits } from './canonical-nan.ts'

/** A value on the operand stack that may be a NaN that is not canonical. */
interface Entry {
  /** Its position on the operand stack. */
  readonly position: number
  /** The place in the written code after which the value is on the stack. */
  readonly at: number
  /** The kinds it may be, for a value that was computed. */
  readonly kinds: number
  /** The local it was read from, else -1: what it may be is known only when the whole body is. */
  readonly local: number
}

/** A place where a value of some kinds is on top of the stack and must be looked at. */
export interface Observation {
  readonly at: number
  readonly kinds: number
}

/**
 * Finds the values that something can see that tells one NaN from another. A computed value is followed on the operand
 * stack to what takes it; through a local it is followed to all places that read the local, whatever the order. Only
 * what reaches such an observer is looked at, where it was computed or read last.
 */
export class NanDataFlow {
  readonly #entries: Entry[] = []
  readonly #observations: Entry[] = []
  /** Kinds that may be in a local, by local. */
  readonly #kinds = new Map<number, number>()
  /** Locals that are copied to others. */
  readonly #copies = new Map<number, Set<number>>()

  /** A value was computed that may be a NaN of a kind. */
  computed(kind: NanKind, position: number, at: number): void {
    this.#entries.push({ position, at, kinds: nanBits[kind], local: -1 })
  }

  /** A local that can hold some kinds was read. */
  read(local: number, kinds: number, position: number, at: number): void {
    this.#entries.push({ position, at, kinds, local })
  }

  /** Everything from a position on is taken by an operator that cannot tell NaNs of some kinds apart. */
  taken(from: number, insensitiveTo: number): void {
    for (
      let top = this.#entries.at(-1);
      top !== undefined && top.position >= from;
      top = this.#entries.at(-1)
    ) {
      this.#entries.pop()
      const kinds = top.kinds & ~insensitiveTo
      if (kinds !== 0) this.#observations.push({ ...top, kinds })
    }
  }

  /** The value at a position, the top one, is put into a local; with `keep` it stays on the stack as well. */
  stored(position: number, local: number, keep: boolean): void {
    const top = this.#entries.at(-1)
    if (top === undefined || top.position < position) return
    if (!keep) this.#entries.pop()
    if (top.local < 0) this.#kinds.set(local, (this.#kinds.get(local) ?? 0) | top.kinds)
    else if (top.local !== local) {
      const targets = this.#copies.get(top.local)
      if (targets === undefined) this.#copies.set(top.local, new Set([local]))
      else targets.add(local)
    }
  }

  /** The top value goes away unseen. */
  dropped(position: number): void {
    const top = this.#entries.at(-1)
    if (top !== undefined && top.position >= position) this.#entries.pop()
  }

  /** Paths part or meet, or something takes values that are not looked into here: everything counts as seen. */
  allSeen(): void {
    this.taken(0, 0)
  }

  /** The code that follows cannot be reached. */
  forget(): void {
    this.#entries.length = 0
  }

  /** The places to look at, in the order of the code. */
  observations(): Observation[] {
    this.#followCopies()
    return this.#observations
      .map(({ at, kinds, local }) => ({
        at,
        kinds: local < 0 ? kinds : kinds & (this.#kinds.get(local) ?? 0),
      }))
      .filter(({ kinds }) => kinds !== 0)
      .sort((a, b) => a.at - b.at)
  }

  #followCopies(): void {
    const pending = [...this.#kinds.keys()]
    for (let local = pending.pop(); local !== undefined; local = pending.pop()) {
      const kinds = this.#kinds.get(local)!
      for (const target of this.#copies.get(local) ?? []) {
        const before = this.#kinds.get(target) ?? 0
        if ((before | kinds) === before) continue
        this.#kinds.set(target, before | kinds)
        pending.push(target)
      }
    }
  }
}
