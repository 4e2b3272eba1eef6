/** How much CPU a process takes. Linux only, it reads /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of CPU, user and system, that the threads of a process have spent so far. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [spent = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    nanoseconds += Number(spent)
  }
  return nanoseconds / 1e6
}
