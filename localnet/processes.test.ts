import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listProcesses, readProc } from './processes.ts'

const proc = mkdtempSync(path.join(tmpdir(), 'proc-'))
afterAll(() => rmSync(proc, { recursive: true }))

/** Writes what Linux shows of a process: its state is that of its first thread. */
function show(pid: number, program: string, state: string, threads: readonly number[]): void {
  for (const thread of threads)
    mkdirSync(path.join(proc, String(pid), 'task', String(thread)), { recursive: true })
  const fields = [state, 1, ...Array(17).fill(0), 5_000 + pid, 0]
  writeFileSync(path.join(proc, String(pid), 'stat'), `${pid} (${program}) ${fields.join(' ')}\n`)
}

test('a process counts as running until its last thread ends', () => {
  show(10, 'anvil', 'S', [10, 11])
  show(20, 'workerd', 'Z', [20, 21])
  show(30, 'workerd', 'Z', [30])
  show(40, 'a (strange) name', 'R', [40])
  mkdirSync(path.join(proc, 'sys'))
  expect(readProc(proc)).toEqual([
    { pid: 10, parent: 1, program: 'anvil', started: '5010' },
    { pid: 20, parent: 1, program: 'workerd', started: '5020' },
    { pid: 40, parent: 1, program: 'a (strange) name', started: '5040' },
  ])
})

test('lists this process', () => {
  expect(listProcesses()).toContainEqual(expect.objectContaining({ pid: process.pid, parent: process.ppid }))
})
