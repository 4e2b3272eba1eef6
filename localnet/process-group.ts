import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A process, told from every other that ever had its pid by when it began. */
export interface Member {
  pid: number
  started: string
}

/** False when nobody is left in the group. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal)
    return true
  } catch {
    return false
  }
}

/** The processes of a group; none where the system does not tell. */
export function membersOf(group: number): Member[] {
  try {
    return existsSync('/proc/self/stat') ? membersInProc(group) : membersByPs(group)
  } catch {
    return []
  }
}

function membersInProc(group: number): Member[] {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    let stat: string
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    } catch {
      return []
    }
    // The name of the program stands in brackets and may hold anything, so the rest is read from the last one on.
    const [state, , itsGroup, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(itsGroup) !== group || state === 'Z') return []
    return [{ pid: Number(name), started: `${boot} ${rest[16]}` }]
  })
}

function membersByPs(group: number): Member[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,pgid=,lstart='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, itsGroup, started] = /^\s*(\d+)\s+(\d+)\s+(.+?)\s*$/.exec(line) ?? []
    return Number(itsGroup) === group ? [{ pid: Number(pid), started: started ?? '' }] : []
  })
}
