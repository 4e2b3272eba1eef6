import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findAnvil } from '../contracts/anvil.ts'
import { incidentsOf, type Status } from './testing/incidents.ts'
import { tailFile } from './testing/local-wrangler.ts'
import { project, type RunbookStage, startRunbookStage } from './testing/runbook-stage.ts'

const timeout = 600_000

describe.skipIf(findAnvil() === null)(
  'the first three commands of a runbook show what its page describes',
  () => {
    let stage: RunbookStage
    const logged: string[] = []

    beforeAll(async () => {
      vi.spyOn(console, 'error').mockImplementation((...words) => void logged.push(words.join(' ')))
      stage = await startRunbookStage()
    }, timeout)
    afterAll(async () => {
      vi.restoreAllMocks()
      await stage?.stop()
    })

    const invoked: string[] = []
    const incidents = incidentsOf(
      () => stage,
      (method, place, status) => {
        const event = { request: { method, url: place }, response: { status } }
        invoked.push(JSON.stringify({ outcome: 'ok', logs: [], event }))
      },
    )

    test.each(Object.entries(incidents))(
      '%s',
      async (page, { vars: own, apart, provoke, isSeen, mend, says }) => {
        await stage.useHub((await apart?.()) ?? own, apart !== undefined)
        const before = logged.length
        invoked.length = 0
        stage.keepWholeAccount()
        await provoke?.()
        const statusSays = (isThere: boolean) =>
          expect
            .poll(async () => isSeen!((await stage.hub().status()) as Status), { interval: 200 })
            .toBe(isThere)
        if (isSeen) await statusSays(true)
        // Requests of clients meanwhile, whose errors the log of the hub has.
        for (const place of ['/', '/v1/projects', `/v1/explorer/rounds/task:${project}`])
          await fetch(stage.url(place))
        const lines = logged.slice(before).map((line) => ({ level: 'error', message: [line] }))
        const shown = [
          ...invoked,
          ...lines.map((line) => JSON.stringify({ outcome: 'ok', logs: [line], event: null })),
        ]
        writeFileSync(path.join(stage.desk.folder, tailFile), `${shown.join('\n')}\n`)
        const said = []
        for (const command of firstCommands(page)) said.push(await stage.run(command))
        await mend?.()
        // The next page begins with a hub that is well.
        if (isSeen && mend && !apart) await statusSays(false)
        for (const [i, pattern] of says.entries()) expect(said[i], `command ${i + 1}`).toMatch(pattern)
      },
      timeout,
    )

    test('of every page', () => {
      const pages = readdirSync('docs/runbooks').filter((name) => name !== 'README.md')
      expect(Object.keys(incidents).sort()).toEqual(pages.map((name) => name.replace('.md', '')).sort())
    })
  },
)

/** The commands that a page begins with. */
function firstCommands(page: string): string[] {
  const [, block = ''] =
    /## First\n\n```sh\n([\s\S]*?)\n```/.exec(readFileSync(`docs/runbooks/${page}.md`, 'utf8')) ?? []
  return block.split('\n').slice(0, 3)
}
