import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { StartError } from './errors.ts'
import { listChildren, listProcesses, type Process } from './processes.ts'

/** The children of a network: its chain, and the hub's workerd. When it is killed they go on as orphans. */
const Children = z.array(z.object({ pid: z.int().min(2), started: z.string() }))

/** Longer than a chain needs to write its state. */
const endMs = 15_000
/** Longer than the system needs to end a process that is not asked. */
const killMs = 5_000
const pollMs = 50
const fileOf = (folder: string): string => path.join(folder, 'children.json')

/** Records the children of this process, so that the next start can end them if this process is killed. */
export function recordChildren(folder: string): void {
  writeFileSync(fileOf(folder), JSON.stringify(listChildren()))
}

/** For a network that has ended its children itself. */
export const forgetChildren = (folder: string): void => rmSync(fileOf(folder), { force: true })

/**
 * Ends the orphans of an earlier network over the same folder, whose lock the caller has, and waits until they are gone.
 *
 * @param patienceMs how long they have to end by themselves.
 * @returns Whether there were any.
 * @throws {@link StartError} when they stay.
 */
export async function endOrphans(folder: string, patienceMs = endMs): Promise<boolean> {
  const recorded = readChildren(fileOf(folder))
  const findOrphans = () =>
    listProcesses().filter((one) =>
      recorded.some(({ pid, started }) => one.pid === pid && one.started === started),
    )
  const found = findOrphans()
  // Not SIGKILL at once: the chain writes its state when it is asked to end.
  signal(found, 'SIGTERM')
  await waitForNone(findOrphans, patienceMs)
  signal(findOrphans(), 'SIGKILL')
  const left = await waitForNone(findOrphans, killMs)
  if (left.length > 0)
    throw new StartError(`${namesOf(left)} of a network that was killed cannot be stopped.`)
  return found.length > 0
}

/** Gives what is there still at the end of the time. */
async function waitForNone(find: () => Process[], limitMs: number): Promise<Process[]> {
  for (const deadline = Date.now() + limitMs; ; await sleep(pollMs)) {
    const left = find()
    if (left.length === 0 || Date.now() >= deadline) return left
  }
}

const namesOf = (processes: readonly Process[]): string =>
  processes.map(({ program, pid }) => `${program} (process ${pid})`).join(' and ')

function signal(processes: readonly Process[], name: NodeJS.Signals): void {
  for (const { pid } of processes)
    try {
      process.kill(pid, name)
    } catch (error) {
      // It ended in between.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}

function readChildren(file: string): z.output<typeof Children> {
  if (!existsSync(file)) return []
  try {
    return Children.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}
