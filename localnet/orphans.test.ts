import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endOrphans, forgetChildren, recordChildren } from './orphans.ts'
import { listProcesses } from './processes.ts'

describe('a child of a network', () => {
  let folder: string
  let child: ChildProcess
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'orphans-'))
    child = await start('')
  })
  afterEach(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  const start = async (before: string) => {
    const script = `${before}; setInterval(() => {}, 60_000); console.log()`
    const started = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(started.stdout, 'data')
    return started
  }
  const file = () => path.join(folder, 'children.json')
  const recorded = (of = child.pid): { pid: number; started: string }[] =>
    JSON.parse(readFileSync(file(), 'utf8')).filter(({ pid }: { pid: number }) => pid === of)
  const record = (content: unknown) => writeFileSync(file(), JSON.stringify(content))
  const isGone = () => child.exitCode !== null || child.signalCode !== null

  test('is ended if it is still the process that was recorded', async () => {
    recordChildren(folder)
    record(recorded())
    const exit = once(child, 'exit')
    expect(await endOrphans(folder)).toBe(true)
    expect((await exit)[1]).toBe('SIGTERM')
    expect(await endOrphans(folder)).toBe(false)
  })

  test('is gone at the end, even if it ignores SIGTERM', async () => {
    const stubborn = await start("process.on('SIGTERM', () => {})")
    recordChildren(folder)
    record(recorded(stubborn.pid))
    expect(await endOrphans(folder, 0)).toBe(true)
    expect(listProcesses().map(({ pid }) => pid)).not.toContain(stubborn.pid)
  })

  test('is left alone if its pid now belongs to another process', async () => {
    recordChildren(folder)
    record(recorded().map(({ pid, started }) => ({ pid, started: `${started}0` })))
    expect(await endOrphans(folder)).toBe(false)
    expect(isGone()).toBe(false)
  })

  test('is left alone once the network has ended its children', async () => {
    recordChildren(folder)
    forgetChildren(folder)
    expect(existsSync(file())).toBe(false)
    expect(await endOrphans(folder)).toBe(false)
    expect(isGone()).toBe(false)
  })

  test.each([null, {}, [{ pid: 1, started: '' }], [{ pid: -1, started: '' }]])(
    'is unknown if no readable record exists: %j',
    async (content) => {
      record(content)
      expect(await endOrphans(folder)).toBe(false)
      expect(isGone()).toBe(false)
    },
  )
})
