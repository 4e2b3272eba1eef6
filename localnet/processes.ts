import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface Process {
  readonly pid: number
  readonly parent: number
  readonly program: string
  /** When it began, in a form of the system's own. A pid alone may be given out again; pid and start are one process. */
  readonly started: string
}

/** Every process of this machine that has not ended; none where the system does not tell. */
export function listProcesses(): Process[] {
  try {
    return process.platform === 'linux' ? readProc() : readPs()
  } catch {
    return []
  }
}

/** The processes that this one started. */
export const listChildren = (): Process[] => listProcesses().filter(({ parent }) => parent === process.pid)

/** @param root where Linux shows its processes. */
export function readProc(root = '/proc'): Process[] {
  return readdirSync(root).flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    let stat: string
    try {
      stat = readFileSync(`${root}/${name}/stat`, 'utf8')
    } catch {
      return []
    }
    // The program's name stands in brackets and may hold anything, brackets as well.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const [state, parent] = fields
    if (state === 'Z' && !hasOtherThreads(path.join(root, name))) return []
    const program = stat.slice(stat.indexOf('(') + 1, end)
    return [{ pid: Number(name), parent: Number(parent), program, started: fields[19] ?? '' }]
  })
}

/** The state of a process is that of its first thread. Other threads may go on, with every port and file. */
function hasOtherThreads(folder: string): boolean {
  try {
    return readdirSync(path.join(folder, 'task')).length > 1
  } catch {
    return false
  }
}

function readPs(): Process[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,lstart=,comm='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, started, command] =
      /^\s*(\d+)\s+(\d+)\s+((?:\S+\s+){4}\S+)\s+(.+)$/.exec(line) ?? []
    if (started === undefined || command === undefined) return []
    return [{ pid: Number(pid), parent: Number(parent), program: path.basename(command.trim()), started }]
  })
}
