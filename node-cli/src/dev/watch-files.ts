import { type FSWatcher, watch } from 'node:fs'
import path from 'node:path'

/** An editor writes a file in several steps. */
const quietMs = 50

/** Watches files, and those that come to be beside them: an import that was missing, a file that is replaced by another. */
export class WatchedFiles {
  readonly #folders = new Map<string, FSWatcher>()
  #isChanged = false
  #wake: (() => void) | null = null
  #quiet: NodeJS.Timeout | undefined

  add(file: string): void {
    const folder = path.resolve(path.dirname(file))
    if (this.#folders.has(folder)) return
    const onChange = (_: string, name: string | null) => {
      // What is built here is no source.
      if (name !== null && !/\.(ts|json)$/.test(name)) return
      clearTimeout(this.#quiet)
      this.#quiet = setTimeout(() => this.#change(), quietMs)
    }
    // A folder that goes away changes nothing more.
    this.#folders.set(
      folder,
      watch(folder, onChange).on('error', () => {}),
    )
  }

  /** Returns once something has changed since the last call. */
  async changed(): Promise<void> {
    if (!this.#isChanged) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#isChanged = false
  }

  close(): void {
    clearTimeout(this.#quiet)
    for (const watcher of this.#folders.values()) watcher.close()
  }

  #change(): void {
    this.#isChanged = true
    this.#wake?.()
    this.#wake = null
  }
}
