import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Part } from './part.ts'

const lookMs = 15_000
/** Share of a core below which the node has nothing to do: nobody waits while it collects. */
const idleShareMax = 0.02
/** Less growth is not worth a collection. */
const growthBytesMin = 4 * 1024 * 1024

export interface ProcessMemory {
  /** Processor time since the start. */
  readonly cpuMs: () => number
  /** Memory that the heap of this thread takes of the machine. */
  readonly heapBytes: () => number
  readonly collect: () => void
}

/**
 * Gives back to the machine what the heap took while there was work. V8 collects when something is allocated: a node that
 * falls idle would keep what its last burst has left for as long as it stays idle.
 */
export class IdleMemory {
  readonly #memory: ProcessMemory
  #cpuMs: number
  #keptBytes = 0

  constructor(memory: ProcessMemory) {
    this.#memory = memory
    this.#cpuMs = memory.cpuMs()
  }

  /** @param passedMs since it looked last. */
  look(passedMs: number): void {
    const { cpuMs, heapBytes, collect } = this.#memory
    const now = cpuMs()
    const isIdle = now - this.#cpuMs < idleShareMax * passedMs
    this.#cpuMs = now
    if (!isIdle || heapBytes() < this.#keptBytes + growthBytesMin) return
    collect()
    this.#keptBytes = heapBytes()
  }
}

export function idleMemoryPart(): Part {
  const idle = new IdleMemory(processMemory)
  let timer: NodeJS.Timeout | undefined
  return {
    start: () => {
      timer = setInterval(() => idle.look(lookMs), lookMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}

export const processMemory: ProcessMemory = {
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  heapBytes: () => getHeapStatistics().total_physical_size,
  // The collector is a function of contexts that are made while it is exposed, and of no other.
  collect: () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (how: object) => void
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  },
}
