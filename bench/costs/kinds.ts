import type { Unit } from './prices.ts'
import counted from './task.json' with { type: 'json' }

/** One kind of request and what one of it uses. */
export interface Kind {
  name: string
  /** Share of the mix, in thousandths. */
  permille: number
  units: Partial<Record<Unit, number>>
}

/** Requests that a caller makes in a window of the rate limiter, on average; fewer make each dearer. */
export const perWindow = Number(process.env.PER_WINDOW ?? 50)

/**
 * What some budgets cost for each request. A window of one costs a lease and an alarm, and the rows of the count, of the
 * alarm and of forgetting both.
 */
const leases = (budgets: number) => ({
  durableObjectRequests: (2 * budgets) / perWindow,
  d1RowsWritten: (3 * budgets) / perWindow,
})

const open = leases(1)
/** Of the caller, of its address, and for the credential until it has proved itself. */
const signed = leases(3)
/** Besides, what the upload itself is limited by: for the caller, and for its address. */
const uploading = leases(5)

/**
 * What tests count is taken from there: rows read from bench/reads/README.md, rows written from
 * workers/routes/write-cost.test.ts. CPU is what bench/requests measures, less what Miniflare spends on a local database,
 * rounded up. Of relayed actions nothing is counted; theirs are read off the code. Rows that Durable Objects write cost
 * what rows of D1 cost and stand with them.
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

/** How often each thing happens, by whose it is and what it is. */
const perTask: Readonly<Record<string, number>> = counted.per_task

/** How much of something the database and all Durable Objects together use for one task. */
const counts = (use: string): number =>
  Object.entries(perTask).reduce((sum, [name, count]) => (name.endsWith(`.${use}`) ? sum + count : sum), 0)

/** Frames of a WebSocket for which one request is charged. */
const framesPerRequest = 20

/**
 * A task from its submission to its final result, with its waiting caller: a committee of three and four validators. All of
 * it is counted by `bench/costs/task.ts` but the CPU, of which `bench/rounds` measures what is the hub's own, rounded up.
 */
export const task: Kind = {
  name: 'Task, with the request that gives it and one that waits',
  permille: 0,
  units: {
    requests: perTask['Worker.request'] ?? 0,
    cpuMs: 25,
    d1RowsRead: counts('rowsRead'),
    d1RowsWritten: counts('rowsWritten'),
    durableObjectRequests: counts('call') + counts('alarm') + counts('message') / framesPerRequest,
    r2ClassA: perTask['R2.classA'] ?? 0,
  },
}
