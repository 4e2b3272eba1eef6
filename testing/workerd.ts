import { readdirSync, readFileSync } from 'node:fs'
import { listChildren } from '../localnet/processes.ts'

/** The processes of a program that this process started. */
export const ownProcesses = (name: string): number[] =>
  listChildren()
    .filter(({ program }) => program === name)
    .map(({ pid }) => pid)

export const ownWorkerds = (): number[] => ownProcesses('workerd')

/** Milliseconds of processor time that the processes have used, which other programs do not change. Linux only. */
export const cpuMs = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0)

/** Of every thread to the nanosecond: the sums of the whole process are in hundredths of a second. */
function cpuMsOf(pid: number): number {
  let nanoseconds = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const [spent = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      nanoseconds += Number(spent)
    }
  } catch {
    // The process or one of its threads has ended meanwhile.
  }
  return nanoseconds / 1e6
}
