import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const memory = '/dev/shm'
/** A whole run keeps less than a gibibyte of temporary files at once. */
const bytesMin = 4 * 1024 ** 3
const prefix = 'hub-tests-'
const abandonedMs = 3_600_000

/**
 * Makes the folder of this run for all temporary files: in memory if the machine has room there, unless `TMPDIR` names
 * another place. A run makes thousands of small databases, and half of its time would go to a disk. The folder is removed
 * when this process exits; folders of runs that were killed are removed by the next run.
 */
export function makeRunFolder(): string {
  const given = process.env.TMPDIR
  // Vitest reads its settings once for each project. Paths of sockets are short, so one folder is not put into another.
  if (given !== undefined && path.basename(given).startsWith(`${prefix}${process.pid}-`)) return given
  const parent = given ?? (isMemoryUsable() ? memory : tmpdir())
  removeAbandoned(parent)
  const folder = mkdtempSync(path.join(parent, `${prefix}${process.pid}-`))
  // A program that ends last may still be writing.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

function isMemoryUsable(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    // The mount may be larger than what a container may use.
    return Math.min(bavail * bsize, process.availableMemory()) >= bytesMin && runsPrograms(memory)
  } catch {
    return false
  }
}

/** Containers often mount it so that nothing in it can be run. */
function runsPrograms(parent: string): boolean {
  const folder = mkdtempSync(path.join(parent, `${prefix}${process.pid}-`))
  const program = path.join(folder, 'program')
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(program).status === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    const folder = path.join(parent, name)
    if (pid === undefined || isRunning(Number(pid))) continue
    // Its process may run in another container that has the same folder.
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (stats && stats.mtimeMs < Date.now() - abandonedMs) rmSync(folder, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
