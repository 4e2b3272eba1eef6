import { readdirSync, readFileSync } from 'node:fs'

/** The workerd processes this process started. Linux only. */
export function ownWorkerds(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      // The name of the program stands in brackets and may hold anything, so the rest is read from the last one on.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return parent === process.pid && stat.includes('(workerd)') ? [Number(name)] : []
    } catch {
      return []
    }
  })
}
