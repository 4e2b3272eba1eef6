import { readFileSync } from 'node:fs'

/** The MiB that a process has resident, or those of them that no other process shares. Linux only, it reads /proc. */
export const memory = (pid: number, field: 'VmRSS' | 'RssAnon'): number => {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))
  return Number(line?.[1]) / 1024
}
