import { prices, type Unit } from './prices.ts'
import counted from './task.json' with { type: 'json' }

/** One kind of request and what one of it uses. */
export interface Kind {
  name: string
  /** Share of the mix, in thousandths. */
  permille: number
  units: Partial<Record<Unit, number>>
}

/** Requests that a caller makes in a window of the rate limiter, on average; fewer make each dearer. */
const perWindow = Number(process.env.PER_WINDOW ?? 50)

/**
 * The units that each request uses for a number of budgets. The window of one budget costs a lease and an alarm, and the
 * rows of the count, of the alarm and of the deletion of both.
 */
const leases = (budgets: number) => ({
  durableObjectRequests: (2 * budgets) / perWindow,
  d1RowsWritten: (3 * budgets) / perWindow,
})

const open = leases(1)
/** Budgets of the caller and of its address, and one for the credential until it has proved itself. */
const signed = leases(3)
/** Also the two budgets of the upload itself: of the caller, and of its address. */
const uploading = leases(5)

/**
 * Numbers that tests count come from those tests: rows read from bench/reads/README.md, rows written from
 * workers/routes/write-cost.test.ts. CPU is the result of bench/requests, less the time that Miniflare spends on a local
 * database, rounded up. Nothing is counted for relayed actions; their numbers are read off the code. Rows that Durable
 * Objects write cost as much as rows of D1 and are included in them.
 */
export const kinds: readonly Kind[] = [
  {
    name: 'Public read, of the hub',
    permille: 600,
    units: { ...open, requests: 1, cpuMs: 2, d1RowsRead: 15 },
  },
  { name: 'Public read of bytes, from the cache', permille: 90, units: { ...open, requests: 1, cpuMs: 1 } },
  {
    name: 'Public read of bytes, from the storage',
    permille: 10,
    units: { ...open, requests: 1, cpuMs: 1, d1RowsRead: 1, r2ClassB: 1 },
  },
  { name: 'Signed read', permille: 200, units: { ...signed, requests: 1, cpuMs: 2, d1RowsRead: 25 } },
  {
    name: 'Write',
    permille: 95,
    units: {
      requests: 1,
      cpuMs: 4,
      d1RowsRead: 6,
      d1RowsWritten: 3 + signed.d1RowsWritten,
      durableObjectRequests: signed.durableObjectRequests,
    },
  },
  {
    name: 'Relayed action',
    permille: 3,
    units: {
      requests: 1,
      cpuMs: 10,
      d1RowsRead: 20,
      d1RowsWritten: 12 + signed.d1RowsWritten,
      durableObjectRequests: 6,
      queueOperations: 3,
    },
  },
  {
    name: 'Upload',
    permille: 2,
    units: {
      requests: 1,
      cpuMs: 60,
      d1RowsRead: 4,
      d1RowsWritten: 4 + uploading.d1RowsWritten,
      durableObjectRequests: uploading.durableObjectRequests,
      r2ClassA: 1,
    },
  },
]

/** Counts for one task, by owner and kind of use, such as `NodeLink.call`. */
export type PerTask = Readonly<Record<string, number>>

/** How much of something the database and all Durable Objects together use for one task. */
const sumOf = (perTask: PerTask, use: string): number =>
  Object.entries(perTask).reduce((sum, [name, count]) => (name.endsWith(`.${use}`) ? sum + count : sum), 0)

/** Rows that Durable Objects write for one task. */
export const objectRowsWritten = (perTask: PerTask): number =>
  sumOf(perTask, 'rowsWritten') - (perTask['D1.rowsWritten'] ?? 0)

/** Frames of a WebSocket for which one request is charged. */
const framesPerRequest = 20
/** A Durable Object is charged as if it had all the memory that it may have. */
const objectGb = 0.128

export const taskUnits = (perTask: PerTask, cpuMs: number): Kind['units'] => ({
  requests: perTask['Worker.request'] ?? 0,
  cpuMs,
  d1RowsRead: sumOf(perTask, 'rowsRead'),
  d1RowsWritten: sumOf(perTask, 'rowsWritten'),
  durableObjectRequests:
    sumOf(perTask, 'call') + sumOf(perTask, 'alarm') + sumOf(perTask, 'message') / framesPerRequest,
  durableObjectGbSeconds: ((perTask['objects.activeMs'] ?? 0) / 1_000) * objectGb,
  r2ClassA: perTask['R2.classA'] ?? 0,
  r2ClassB: perTask['R2.classB'] ?? 0,
  queueOperations: perTask['Queue.operation'] ?? 0,
  d1Bytes: perTask['D1.bytes'] ?? 0,
  r2Bytes: perTask['R2.bytes'] ?? 0,
})

/** Dollars of a million. */
export const costOf = ({ units }: Pick<Kind, 'units'>): number =>
  Object.entries(units).reduce((sum, [unit, used]) => sum + used * prices[unit as Unit], 0)

/**
 * A task from its submission to its final result, in one request that waits: a committee of three and four validators, as
 * `bench/costs/task.ts` counts it.
 */
export const task: Kind = {
  name: 'Task, with the request that gives it and waits',
  permille: 0,
  units: taskUnits(counted.per_task, counted.cpu_ms),
}
