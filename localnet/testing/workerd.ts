import { readdirSync, readFileSync } from 'node:fs'

/** The workerd processes this process started. Linux only. */
export function ownWorkerds(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const stat = readStat(name)
    return stat !== null && stat.parent === process.pid && stat.program === 'workerd' ? [Number(name)] : []
  })
}

/** Milliseconds of processor time that the processes have used, which other programs do not change. */
export const cpuMs = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (readStat(String(pid))?.cpuMs ?? 0), 0)

function readStat(pid: string): { program: string; parent: number; cpuMs: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in brackets and may hold anything, so the rest is read from the last one on.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    // In ticks, of which Linux has a hundred a second.
    const ticks = Number(fields[11]) + Number(fields[12])
    return { program: stat.slice(stat.indexOf('(') + 1, end), parent: Number(fields[1]), cpuMs: ticks * 10 }
  } catch {
    return null
  }
}
