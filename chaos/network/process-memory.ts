import { readFileSync } from 'node:fs'
import type { LocalNode } from '../../localnet/nodes/local-node.ts'

/** The MiB that a process has resident, or those of them that no other process shares. Linux only, it reads /proc. */
export const memory = (pid: number, field: 'VmRSS' | 'RssAnon'): number => {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))
  return Number(line?.[1]) / 1024
}

/** The MiB of each node that runs, by its name, which no other process shares. */
export const memoryOf = (nodes: readonly LocalNode[]): Record<string, number> =>
  Object.fromEntries(
    nodes.flatMap(({ name, pid }) => (pid === null ? [] : [[name, Math.round(memory(pid, 'RssAnon'))]])),
  )
