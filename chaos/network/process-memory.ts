/** How much memory a process takes. Linux only, it reads /proc. */
import { readFileSync, writeFileSync } from 'node:fs'

/** In MiB: the highest since it was reset, what is resident, or what of that no other process shares. */
export const memory = (pid: number, field: 'VmHWM' | 'VmRSS' | 'RssAnon'): number => {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))
  return Number(line?.[1]) / 1024
}

/** The highest memory of a process while `work` runs, above what it had before. */
export async function peak(pid: number, work: () => Promise<void>): Promise<string> {
  const before = memory(pid, 'VmRSS')
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  await work()
  return `+${(memory(pid, 'VmHWM') - before).toFixed(0)} MiB`
}
