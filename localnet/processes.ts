import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  readonly pid: number
  readonly parent: number
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

function readProc(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    let stat: string
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    } catch {
      return []
    }
    // The program's name stands in brackets and may hold anything, so the fields are read from the last bracket on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent] = fields
    if (state === 'Z') return []
    return [{ pid: Number(name), parent: Number(parent), started: fields[19] ?? '' }]
  })
}

function readPs(): Process[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,lstart='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, started] = /^\s*(\d+)\s+(\d+)\s+(.+?)\s*$/.exec(line) ?? []
    return started === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), started }]
  })
}
