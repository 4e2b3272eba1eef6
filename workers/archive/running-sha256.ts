import { SHA256 } from '@noble/hashes/sha2'

/** SHA-256 of bytes that are hashed in several steps. Its state can be kept wherever a whole number of 64 bytes was hashed. */
export class RunningSha256 extends SHA256 {
  static from(state: readonly number[] | null): RunningSha256 {
    const running = new RunningSha256()
    if (state === null) return running
    const [length = 0, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    running.length = length
    running.set(a, b, c, d, e, f, g, h)
    return running
  }

  get state(): number[] {
    return [this.length, ...this.get()]
  }
}
