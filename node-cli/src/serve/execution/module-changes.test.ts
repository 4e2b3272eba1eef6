import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../../protocol/encoding/index.ts'
import { computeStateRoot, stateBucket } from '../../../../protocol/execution/index.ts'
import { resolveProfile } from '../../../../protocol/identity/index.ts'
import { openTestStore } from '../../../../testing/node/node-parts.ts'
import type { StorageWrite } from '../../engine/index.ts'
import type { BackgroundThread } from '../background/background-thread.ts'
import { createJobs, type JobName } from '../background/jobs.ts'
import type { ServeStore } from '../store/index.ts'
import { ModuleChanges } from './module-changes.ts'

const profile = resolveProfile()
const jobs = createJobs(profile)
const address = `0x${'11'.repeat(32)}`

/** A store, its changes, and the names of the jobs that ran for them, as the background thread runs them. */
function openChanges() {
  const store = openTestStore()
  const computed: JobName[] = []
  const background = {
    runReading: async (_bytes: number, name: JobName, ...input: unknown[]) => {
      computed.push(name)
      return Reflect.apply(jobs[name], null, input)
    },
  } as unknown as BackgroundThread
  return { store, changes: new ModuleChanges(store, background), computed }
}

/** The root of the whole store, by the definition. */
function rootByDefinition({ db }: ServeStore): string {
  const rows = db.prepare('SELECT key, value FROM storage WHERE address = ?').all(address)
  const entries = (rows as { key: string; value: Uint8Array }[]).map(({ key, value }) => ({
    key: hexToBytes(`0x${key}`),
    value,
  }))
  return computeStateRoot(profile, entries).root
}

const write = (key: string, value: Uint8Array | null): StorageWrite => ({ address, key, value })

describe('ModuleChanges', () => {
  // Keys of one bucket meet often, so that buckets grow, shrink and become empty.
  const keys = Array.from({ length: 15_000 }, (_, i) => Buffer.from(`key ${i}`))
    .filter((key) => stateBucket(key) < 12)
    .slice(0, 40)
    .map((key) => key.toString('hex'))
  const writes = fc.uniqueArray(
    fc
      .tuple(fc.constantFrom(...keys), fc.option(fc.uint8Array({ minLength: 1, maxLength: 8 })))
      .map(([key, value]) => write(key, value)),
    { selector: ({ key }) => key, minLength: 1, maxLength: 6 },
  )

  test('property: after any runs the root is the one that the definition gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { maxLength: 8 }), async (runs) => {
        const { store, changes, computed } = openChanges()
        for (const [i, run] of runs.entries()) {
          const before = { pre_root: rootByDefinition(store), pre_seq: i }
          const [change] = await changes.of(run, [address])
          store.transaction(() => changes.apply([change!]))
          const after = { post_root: rootByDefinition(store), post_seq: i + 1 }
          expect(change!.transition).toEqual({ module_address: address, ...before, ...after })
        }
        // The first one had no index.
        expect(computed.filter((name) => name === 'computeStateIndex').length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 30 },
    )
  })

  test('the index is built for data that was stored without it', async () => {
    const { store, changes } = openChanges()
    const put = async (...run: StorageWrite[]) => {
      const change = await changes.of(run, [])
      store.transaction(() => changes.apply(change))
    }
    await put(write('01', Buffer.from('a')), write('02', Buffer.from('b')))
    store.transaction(() => store.writeStorage([write('03', Buffer.from('c'))]))
    expect(store.stateIndex.root(address)).toBeNull()
    expect(await changes.root(address)).toEqual({ sequence: 2, root: rootByDefinition(store) })
    await put(write('02', null))
    expect(store.stateIndex.root(address)).toEqual({ sequence: 3, root: rootByDefinition(store) })
  })

  test('a run that only reads changes nothing, and a run that is not applied leaves nothing', async () => {
    const { store, changes } = openChanges()
    await changes.of([write('01', Buffer.from('a'))], [])
    const [change] = await changes.of([], [address])
    expect(change).toMatchObject({ index: null, transition: { pre_seq: 0, post_seq: 0 } })
    expect(change!.transition.post_root).toBe(rootByDefinition(store))
  })
})
