import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endLeftovers, forgetGroup, noteGroup } from './leftovers.ts'
import { membersOf } from './process-group.ts'

describe('what a killed network left', () => {
  let folder: string
  /** Leads a group of its own. */
  let left: ChildProcess
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'leftovers-'))
    left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000); console.log()'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(left.stdout!, 'data')
  })
  afterEach(() => {
    left.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  const group = () => left.pid as number
  const note = (content: unknown) => writeFileSync(path.join(folder, 'group'), JSON.stringify(content))
  const isGone = () => left.exitCode !== null || left.signalCode !== null

  test('is ended when it is still what was noted', async () => {
    note({ group: group(), members: membersOf(group()) })
    const exit = once(left, 'exit')
    expect(await endLeftovers(folder)).toBe(true)
    expect((await exit)[1]).toBe('SIGTERM')
    expect(await endLeftovers(folder)).toBe(false)
  })

  test('is left alone when its number belongs to somebody else by now', async () => {
    const [{ pid, started } = { pid: 0, started: '' }] = membersOf(group())
    expect(pid).toBe(group())
    note({ group: group(), members: [{ pid, started: `${started}0` }] })
    expect(await endLeftovers(folder)).toBe(false)
    note({ group: group() + 1, members: [{ pid, started }] })
    expect(await endLeftovers(folder)).toBe(false)
    expect(isGone()).toBe(false)
  })

  test.each([null, {}, { group: 1, members: [] }, { group: -1, members: [] }])(
    'is nothing where nothing readable was noted: %j',
    async (content) => {
      expect(await endLeftovers(folder)).toBe(false)
      note(content)
      expect(await endLeftovers(folder)).toBe(false)
    },
  )

  test('is noted by who leads the group, and forgotten', () => {
    noteGroup(folder)
    expect(JSON.parse(readFileSync(path.join(folder, 'group'), 'utf8'))).toMatchObject({ group: process.pid })
    forgetGroup(folder)
    expect(existsSync(path.join(folder, 'group'))).toBe(false)
  })
})
