import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { type Member, membersOf, signalGroup } from './process-group.ts'

/** What a process that was killed cannot end: the others of its group. */
const Group = z.strictObject({
  group: z.int().min(2),
  members: z.array(z.strictObject({ pid: z.int(), started: z.string() })),
})

/** Longer than a chain needs to write itself down. */
const endMs = 15_000
const fileOf = (folder: string): string => path.join(folder, 'group')

/**
 * Notes who runs in the process group of this process, so that a later start can tell them from anybody else, should this
 * process and the one that looks after it be killed at once. A pid alone says nothing: together with the time it was
 * given out it names one process for ever.
 */
export function noteGroup(folder: string): void {
  const members = membersOf(process.pid).filter(({ pid }) => pid !== process.pid)
  writeFileSync(fileOf(folder), JSON.stringify({ group: process.pid, members }))
}

/** For a network that has ended everybody itself. */
export const forgetGroup = (folder: string): void => rmSync(fileOf(folder), { force: true })

/**
 * Ends what an earlier network left running in a folder. The caller has its lock, so nobody looks after them any more.
 *
 * @returns Whether there was something.
 */
export async function endLeftovers(folder: string): Promise<boolean> {
  const noted = readNote(fileOf(folder))
  if (noted === null) return false
  const isLeft = () => {
    const members = membersOf(noted.group)
    return noted.members.some((one) => members.some((other) => isSame(one, other)))
  }
  if (!isLeft()) return false
  signalGroup(noted.group, 'SIGTERM')
  for (const limit = Date.now() + endMs; Date.now() < limit && membersOf(noted.group).length > 0; )
    await wait(50)
  if (isLeft()) signalGroup(noted.group, 'SIGKILL')
  return true
}

function readNote(file: string): z.output<typeof Group> | null {
  if (!existsSync(file)) return null
  try {
    return Group.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

const isSame = (one: Member, other: Member): boolean => one.pid === other.pid && one.started === other.started
