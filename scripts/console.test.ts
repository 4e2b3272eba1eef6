import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { consolePaths } from '../workers/routes/console-paths.ts'
import { builtConsole } from './console.ts'

const kB = 1_000

describe('the console as it is built', () => {
  let folder: string
  beforeAll(async () => {
    folder = await builtConsole()
  })

  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  const page = () => read('console.html')
  const filesOf = (text: string) =>
    [...text.matchAll(/(?:src|href)="\/(_app\/[^"]+\.js)"/g)].map(([, file]) => file!)

  const atOnce = /(?:\bfrom|\bimport)\s*["'`](\.\.?\/[^"'`]+\.js)["'`]/g
  const everything = /(?:\bfrom|\bimport)\s*\(?\s*["'`](\.\.?\/[^"'`]+\.js)["'`]/g

  /** Files with all that they import. */
  function closure(files: readonly string[], imports = everything, found = new Set<string>()): Set<string> {
    for (const file of files) {
      if (found.has(file)) continue
      found.add(file)
      const targets = [...read(file).matchAll(imports)].map(([, target]) => target!)
      closure(
        targets.map((target) => path.posix.join(path.posix.dirname(file), target)),
        imports,
        found,
      )
    }
    return found
  }
  const bytesOf = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0)

  test('script: at most 90 kB for the first view, whichever it is, and 40 kB for each further one', () => {
    const shared = closure(filesOf(page()), atOnce)
    // One of them names every screen, which are loaded when they are opened.
    const sharedLater = closure([...shared].filter((file) => !file.includes('/entry/app.')))
    const screens = readdirSync(path.join(folder, '_app/immutable/nodes')).map(
      (name) => `_app/immutable/nodes/${name}`,
    )
    expect(bytesOf(shared)).toBeGreaterThan(20 * kB)
    for (const screen of screens) {
      expect(bytesOf(new Set([...shared, ...closure([screen], atOnce)])), screen).toBeLessThanOrEqual(90 * kB)
      expect(
        bytesOf([...closure([screen])].filter((file) => !sharedLater.has(file))),
        screen,
      ).toBeLessThanOrEqual(40 * kB)
    }
  })

  test('the page has no inline script or style, and names no other host', () => {
    expect(page()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/)
    for (const file of closure(filesOf(page()))) expect(read(file), file).not.toMatch(/\sstyle=\\?"/)
  })

  test('a page tells another deployment by its version, and says so where it cannot start', () => {
    expect(JSON.parse(read('_app/version.json'))).toEqual({ version: path.basename(folder) })
    const [boot] = filesOf(page()).filter((file) => file.includes('/entry/boot.'))
    expect(read(boot!)).toContain(`version: "${path.basename(folder)}"`)
    expect(read(boot!)).toContain('could not be loaded')
  })

  test('the hub answers a page for each screen, and for nothing else', () => {
    const screens = (readdirSync('console/src/routes', { recursive: true }) as string[])
      .filter((name) => path.basename(name) === '+page.svelte')
      .map((name) => `/${path.dirname(name)}`.replaceAll(/\[\w+\]/g, '{}'))
      // The first page also answers programs, and the last one is for addresses that do not exist.
      .filter((screen) => screen !== '/.' && !screen.startsWith('/[...'))
    const answered = consolePaths.map((one) => one.replaceAll(/\{\w+\}/g, '{}'))
    expect(answered.sort()).toEqual(screens.sort())
  })
})
