import { spawnSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const memory = '/dev/shm'
/** A whole run keeps less than a gibibyte of temporary files at once. */
const bytesMin = 4 * 1024 ** 3

/**
 * A folder in memory, where the machine has one with enough room that runs programs; otherwise undefined. Thousands of small databases
 * are made in a run, and half of its time would go to a disk that is asked to write each of them.
 */
export function memoryFolder(): string | undefined {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= bytesMin && runsPrograms(memory) ? memory : undefined
  } catch {
    return undefined
  }
}

/** Containers often mount it so that nothing in it can be run. */
function runsPrograms(parent: string): boolean {
  const folder = mkdtempSync(path.join(parent, 'hub-tests-'))
  const program = path.join(folder, 'program')
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(program).status === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}
