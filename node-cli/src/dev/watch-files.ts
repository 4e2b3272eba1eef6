import { existsSync, type FSWatcher, watch } from 'node:fs'
import path from 'node:path'

/** An editor writes a file in several steps. */
const quietMs = 50

/** Watches files, and those that come to be beside them: an import that was missing, a file that is replaced by another. */
export class WatchedFiles {
  readonly #wanted = new Set<string>()
  readonly #folders = new Map<string, FSWatcher>()
  #isChanged = false
  #wake: (() => void) | null = null
  #quiet: NodeJS.Timeout | undefined

  add(file: string): void {
    const folder = path.resolve(path.dirname(file))
    this.#wanted.add(folder)
    this.#watch(folder)
  }

  /** In the place of a folder that is not there, the nearest one that is. */
  #watch(wanted: string): void {
    let folder = wanted
    while (!existsSync(folder)) folder = path.dirname(folder)
    if (this.#folders.has(folder)) return
    const watcher = watch(folder, (event, name) => {
      // The folder itself went away, and another may be in its place.
      const isGone = event === 'rename' && (name === path.basename(folder) || !existsSync(folder))
      if (isGone) this.#forget(folder, watcher)
      // Only `.ts` and `.json` files are sources; build results are ignored.
      else if (name !== null && !/\.(ts|json)$/.test(name) && !this.#isAbove(path.join(folder, name))) return
      for (const one of this.#wanted) this.#watch(one)
      clearTimeout(this.#quiet)
      this.#quiet = setTimeout(() => this.#change(), quietMs)
    })
    this.#folders.set(
      folder,
      watcher.on('error', () => this.#forget(folder, watcher)),
    )
  }

  #isAbove(folder: string): boolean {
    return [...this.#wanted].some((one) => `${one}${path.sep}`.startsWith(`${folder}${path.sep}`))
  }

  #forget(folder: string, watcher: FSWatcher): void {
    watcher.close()
    if (this.#folders.get(folder) === watcher) this.#folders.delete(folder)
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
