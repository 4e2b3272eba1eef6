import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { givenReads } from '../workers/routes/console/reads.ts'
import { consolePaths } from '../workers/routes/console-paths.ts'
import { builtConsole } from './console.ts'

const kB = 1_000

describe('the console as it is built', () => {
  let folder: string
  beforeAll(async () => {
    folder = await builtConsole()
  })

  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  const pages = () =>
    new Map(
      (readdirSync(path.join(folder, 'console'), { recursive: true }) as string[])
        .filter((name) => name.endsWith('.html'))
        .map((name) => [name, read(`console/${name}`)]),
    )
  const scriptsIn = (text: string) => [...text.matchAll(/"\/(_app\/[^"]+\.js)"/g)].map(([, file]) => file!)
  /** The scripts of a page, and those that the one which starts it names. */
  const filesOf = (page: string) => {
    const named = scriptsIn(page)
    const [boot] = named.filter((file) => file.includes('/entry/boot.'))
    return [...new Set([...named, ...scriptsIn(read(boot!))])]
  }

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

  test('any first view loads at most 90 kB of script, and each further view at most 40 kB', () => {
    const views = [...pages().values()].map((page) => closure(filesOf(page), atOnce))
    const shared = new Set([...views[0]!].filter((file) => views.every((view) => view.has(file))))
    // One of them names every screen, which are loaded when they are opened.
    const sharedLater = closure([...shared].filter((file) => !file.includes('/entry/app.')))
    expect(bytesOf(shared)).toBeGreaterThan(20 * kB)
    for (const view of views) {
      const [screen] = [...view].filter((file) => /\/nodes\/(?!0\.)/.test(file))
      expect(bytesOf(view), screen).toBeLessThanOrEqual(90 * kB)
      expect(
        bytesOf([...closure([screen!])].filter((file) => !sharedLater.has(file))),
        screen,
      ).toBeLessThanOrEqual(40 * kB)
    }
  })

  test('no page has an inline script or style, or names another host', () => {
    for (const [name, page] of pages()) {
      expect(page, name).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/)
      for (const file of closure(filesOf(page))) expect(read(file), file).not.toMatch(/\sstyle=\\?"/)
    }
  })

  test('a public screen is drawn before its script runs, is inert until then, and has one title', () => {
    const own = ['me', 'build', 'build/projects/_', 'operate', 'run-a-device'].map((name) => `${name}.html`)
    for (const [name, page] of pages()) {
      if (!own.includes(name)) expect(page, name).toMatch(/<h1|aria-label="Loading"/)
      expect(page, name).toContain('<div id="app" inert>')
      expect([...page.matchAll(/<title>/g)].length, name).toBeLessThanOrEqual(1)
      // The build reaches no hub, which says nothing of the one that serves the page.
      expect(page, name).not.toContain('does not answer')
    }
  })

  test('a page detects another deployment by its version, and says if it cannot be loaded', () => {
    expect(JSON.parse(read('_app/version.json'))).toEqual({ version: path.basename(folder) })
    for (const [name, page] of pages()) {
      const [boot] = filesOf(page).filter((file) => file.includes('/entry/boot.'))
      expect(read(boot!), name).toContain(`version: "${path.basename(folder)}"`)
      expect(read(boot!), name).toContain('could not be loaded')
      // Code that asks for the version is evaluated after the page has said which it is.
      const start = filesOf(page).filter((file) => file.includes('/entry/start.'))
      for (const file of closure(start, atOnce)) expect(read(file), file).not.toContain('version.json')
    }
  })

  test('the script knows every answer that a page contains', () => {
    const scripts = [...closure([...pages().values()].flatMap(filesOf), atOnce)].map(read).join()
    const unknown = Object.values(givenReads)
      .flat()
      .filter((asked) => !scripts.includes(`"${asked}":[`))
    expect(unknown).toEqual([])
  })

  test('the hub serves exactly one page for each screen', () => {
    const screens = (readdirSync('console/src/routes', { recursive: true }) as string[])
      .filter((name) => path.basename(name) === '+page.svelte')
      .map((name) => `/${path.dirname(name)}`.replaceAll(/\[\w+\]/g, '{}'))
      // The first page also answers programs, and the last one is for addresses that do not exist.
      .filter((screen) => screen !== '/.' && !screen.startsWith('/[...'))
    const answered = consolePaths.map((one) => one.replaceAll(/\{\w+\}/g, '{}'))
    expect(answered.sort()).toEqual(screens.sort())
    const files = answered.map((screen) => `${screen.slice(1).replaceAll('{}', '_')}.html`)
    expect([...pages().keys()].sort()).toEqual(['_.html', 'home.html', ...files].sort())
  })
})
