import type { ImportGraph } from './graph.ts'
import { isTest } from './rooms.ts'

type Rooms = Readonly<Record<string, readonly string[]>>

/** Says line by line which imports run against the order of the rooms. The linter finds circles. */
export function findImportFaults(graph: ImportGraph, rooms: Rooms): string[] {
  const imports = [...graph].flatMap(([file, targets]) => targets.map((target) => [file, target] as const))
  const against = imports.filter(([file, target]) => !isAllowed(rooms, file, target))
  const inside = imports.filter(([file, target]) => passesIndex(file, target))
  return [
    ...against.map(([file, target]) => `${file} imports ${target}: ${allowedText(rooms, file)}.`),
    ...inside.map(([file, target]) => `${file} imports ${target}: import the index.ts of its room.`),
  ]
}

const topOf = (file: string): string => file.split('/')[0]!

const isIn = (file: string, room: string): boolean => file === room || file.startsWith(`${room}/`)

/** The room of a file; undefined for one in a folder without rules. */
function roomOf(rooms: Rooms, file: string): string | undefined {
  const names = Object.keys(rooms).filter((room) => isIn(file, room))
  return names.toSorted((a, b) => b.length - a.length)[0]
}

/** Any test may import what tests share. */
const forTests: ReadonlySet<string> = new Set(['testing', 'bench'])

function isAllowed(rooms: Rooms, file: string, target: string): boolean {
  const room = roomOf(rooms, file)
  if (room === undefined || isIn(target, room)) return true
  if (isTest(file)) return forTests.has(topOf(target)) || allTops(rooms, topOf(file)).has(topOf(target))
  return rooms[room]!.some((allowed) => isIn(target, allowed))
}

/** The top folders that any room of a folder may import. */
const allTops = (rooms: Rooms, top: string): Set<string> =>
  new Set([
    top,
    ...Object.entries(rooms).flatMap(([room, allowed]) => (isIn(room, top) ? allowed.map(topOf) : [])),
  ])

const allowedText = (rooms: Rooms, file: string): string => {
  const room = roomOf(rooms, file)
  const allowed = room === undefined ? [] : rooms[room]!
  return `${room} may import ${allowed.join(', ') || 'nothing but itself'}`
}

/** Whether a file reaches past the index of a room of the protocol. Tests and vectors look inside. */
function passesIndex(file: string, target: string): boolean {
  const [room] =
    /^protocol\/(?:encoding|signatures|identity|actions|manifest|execution|committees|rounds|earnings|slashing|link)\//.exec(
      target,
    ) ?? []
  return room !== undefined && !file.startsWith(room) && !isTest(file) && target !== `${room}index.ts`
}
