import type { HubBundle } from '../../scripts/bundle.ts'

/** The hub, with a count of what it uses: `GET /counts` answers it. The count itself costs time, so no time is measured with it. */
export const countedHub = (script: HubBundle): HubBundle => [
  { type: 'ESModule', path: 'counted.js', contents: counted(script[0]?.path ?? '') },
  ...script,
]

/**
 * Counts at the bindings, whose methods are replaced for the whole isolate: Durable Objects and the Worker share one here.
 * Units are named after whose they are: `Round.call`, `Round.rowsWritten`, `D1.rowsRead`.
 */
const counted = (entry: string): string => `
import { DurableObject } from 'cloudflare:workers'
import hub, * as all from './${entry}'

const counts = {}
const note = (name, by = 1) => { counts[name] = (counts[name] ?? 0) + by }

/** Which class a storage is of. */
const owners = new WeakMap()
const replaced = new WeakSet()
const replace = (object, methods) => {
  const prototype = Object.getPrototypeOf(object)
  if (replaced.has(prototype)) return
  replaced.add(prototype)
  for (const [name, wrap] of Object.entries(methods)) {
    const original = prototype[name]
    prototype[name] = function (...args) { return wrap(this, () => original.apply(this, args), args) }
  }
}

/** A cursor knows what it cost once it was read, which is before the next one is made. */
let reading = null
const noteRead = () => {
  if (reading === null) return
  note(reading.owner + '.rowsRead', reading.cursor.rowsRead)
  note(reading.owner + '.rowsWritten', reading.cursor.rowsWritten)
  reading = null
}
const countStorage = (owner, storage) => {
  for (const one of [storage, storage.kv, storage.sql]) owners.set(one, owner)
  const units = (unit) => (object, run) => { note(owners.get(object) + '.' + unit); return run() }
  // An alarm is a row, and so is a value.
  replace(storage, {
    setAlarm: (object, run) => { note(owners.get(object) + '.setAlarm'); note(owners.get(object) + '.rowsWritten'); return run() },
    deleteAlarm: units('rowsWritten'),
    getAlarm: units('rowsRead'),
    deleteAll: (object, run) => { note(owners.get(object) + '.end'); note(owners.get(object) + '.rowsWritten'); return run() },
  })
  replace(storage.kv, { get: units('rowsRead'), put: units('rowsWritten'), delete: units('rowsWritten') })
  replace(storage.sql, {
    exec: (object, run) => {
      noteRead()
      note(owners.get(object) + '.statement')
      const cursor = run()
      reading = { owner: owners.get(object), cursor }
      return cursor
    },
  })
}

const kinds = { alarm: 'alarm', webSocketMessage: 'message' }
const countedClass = (owner, Class) => {
  const made = class extends Class {
    constructor(ctx, env) {
      countStorage(owner, ctx.storage)
      super(ctx, env)
    }
  }
  for (let at = Class.prototype; at !== DurableObject.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at))
      if (name !== 'constructor' && !Object.hasOwn(made.prototype, name))
        Object.defineProperty(made.prototype, name, {
          value(...args) {
            note(owner + '.' + (kinds[name] ?? 'call'))
            return Class.prototype[name].apply(this, args)
          },
        })
  return made
}

const noteResult = ({ meta }) => {
  note('D1.statement')
  note('D1.rowsRead', meta.rows_read)
  note('D1.rowsWritten', meta.rows_written)
}
let isCounting = false
const countBindings = (env) => {
  if (isCounting) return
  isCounting = true
  const one = async (statement, run) => {
    // A hub that takes its time from the machine does not ask for the lead of the chain.
    if (statement.statement?.includes('lead_secs')) return run()
    note('D1.trip')
    const result = await run()
    noteResult(result)
    return result
  }
  replace(env.DB.prepare('SELECT 1'), { all: one, run: one })
  replace(env.DB.withSession(), {
    batch: async (_, run) => {
      note('D1.trip')
      const results = await run()
      results.forEach(noteResult)
      return results
    },
  })
  const units = (unit) => (_, run) => { note('R2.' + unit); return run() }
  replace(env.ROUNDS, { put: units('classA'), list: units('classA'), get: units('classB'), head: units('classB') })
}
const fetchOutside = globalThis.fetch
globalThis.fetch = (...args) => { note('outside.request'); return fetchOutside(...args) }

export const RateLimiter = countedClass('RateLimiter', all.RateLimiter)
export const Relayer = countedClass('Relayer', all.Relayer)
export const ChainIndexer = countedClass('ChainIndexer', all.ChainIndexer)
export const FaucetCooldown = countedClass('FaucetCooldown', all.FaucetCooldown)
export const ProjectCommittees = countedClass('ProjectCommittees', all.ProjectCommittees)
export const Round = countedClass('Round', all.Round)
export const NodeLink = countedClass('NodeLink', all.NodeLink)
export const { DirectOrder, GenerationKeeper } = all

export default {
  ...hub,
  fetch(request, env, ctx) {
    countBindings(env)
    if (new URL(request.url).pathname === '/counts') {
      noteRead()
      return Response.json(counts)
    }
    note('Worker.request')
    return hub.fetch(request, env, ctx)
  },
}`
