import { readFileSync } from 'node:fs'
import { listChildren } from '../processes.ts'

/** The workerd processes this process started. */
export const ownWorkerds = (): number[] =>
  listChildren()
    .filter(({ program }) => program === 'workerd')
    .map(({ pid }) => pid)

/** Milliseconds of processor time that the processes have used, which other programs do not change. Linux only. */
export const cpuMs = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0)

function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name stands in brackets and may hold anything, so the fields are read from the last bracket on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // In ticks, of which Linux has a hundred a second.
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}
