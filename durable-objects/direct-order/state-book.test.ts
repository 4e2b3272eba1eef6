import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import type { StateTransition } from '../../protocol/execution/index.ts'
import type { ExecutionVote } from '../../protocol/rounds/index.ts'
import { dumpPage, loadRows } from '../object-copy.ts'
import { directOrderTables, modulesMax, StateBook, touchedMax } from './state-book.ts'

const addressOf = (name: string) => hashText(`module ${name}`)
const rootOf = (name: string, seq: number) => hashText(`root ${name} ${seq}`)

const transition = (name: string, pre_seq: number, post_seq: number): StateTransition => ({
  module_address: addressOf(name),
  pre_seq,
  pre_root: rootOf(name, pre_seq),
  post_seq,
  post_root: rootOf(name, post_seq),
})

const read = (name: string, seq = 0) => transition(name, seq, seq)
const written = (name: string, seq = 0) => transition(name, seq, seq + 1)

let rounds = 0

/** The book looks at these members alone. */
function quorumOf(entry: string, state: readonly StateTransition[]): ExecutionVote[] {
  rounds += 1
  const round = { module_address: addressOf(entry), nonce: String(rounds), issued_at: rounds }
  return [{ round_id: `exec:${rounds}`, state, round } as unknown as ExecutionVote]
}

const withBook = (name: string, work: (book: StateBook, count: (table: string) => number) => void) =>
  runInDurableObject(env.DIRECT_ORDER.getByName(name), (_, state) => {
    const { storage } = state
    const countSql = (table: string) => storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
    work(new StateBook(storage), (table) => countSql(table).one().n)
  })

test('modules that were only read leave neither a head nor votes', async () => {
  await withBook('reads', (book, count) => {
    for (const entry of ['a', 'b', 'c'])
      expect(book.decide(quorumOf(entry, [read(entry), read('x')]))).toBe(true)
    expect([count('heads'), count('certificates')]).toEqual([0, 0])
    expect(book.decide(quorumOf('a', [written('a'), read('x')]))).toBe(true)
    expect([count('heads'), count('certificates')]).toEqual([1, 1])
    expect(book.heads([addressOf('a'), addressOf('x')])).toEqual([
      { module_address: addressOf('a'), seq: 1, root: rootOf('a', 1) },
      { module_address: addressOf('x'), seq: null, root: null },
    ])
  })
})

test('the votes of a round are kept while they prove the head of a module, also if later rounds read it, then deleted', async () => {
  await withBook('moves', (book, count) => {
    const first = quorumOf('a', [written('a'), written('b')])
    const second = quorumOf('a', [written('a', 1)])
    const third = quorumOf('b', [written('b', 1)])
    expect(book.decide(first)).toBe(true)
    expect(book.decide(quorumOf('c', [read('a', 1), read('b', 1)]))).toBe(true)
    expect(book.certificates([addressOf('a')])).toEqual([first])
    expect(book.decide(second)).toBe(true)
    expect(book.certificates([addressOf('a'), addressOf('b')])).toHaveLength(2)
    expect(book.certificates([addressOf('b')])).toEqual([first])
    expect(book.decide(third)).toBe(true)
    expect(book.certificates([addressOf('a'), addressOf('b')])).toEqual([second, third])
    expect([count('heads'), count('certificates')]).toEqual([2, 2])
    // The state that a round read has to be the agreed one.
    expect(book.decide(quorumOf('c', [read('a', 1)]))).toBe(false)
  })
})

test('a round that read more modules than a request to a validator can list is not decided', async () => {
  await withBook('many', (book, count) => {
    const state = Array.from({ length: modulesMax + 1 }, (_, i) => written(`many ${i}`))
    expect(book.decide(quorumOf('many 0', state))).toBe(false)
    expect([count('heads'), count('certificates'), count('touched')]).toEqual([0, 0, 0])
    expect(book.decide(quorumOf('many 0', state.slice(1)))).toBe(true)
    expect(count('heads')).toBe(modulesMax)
  })
})

test('the list of modules that a module read is forgotten after many other runs; then it counts as reading only itself', async () => {
  await withBook('touched', (book, count) => {
    const run = (entry: string) => book.decide(quorumOf(entry, [read(entry), read('x')]))
    run('a')
    run('b')
    for (let i = 0; i < touchedMax - 2; i++) run(`other ${i}`)
    run('a')
    expect(count('touched')).toBe(touchedMax)
    run('another')
    expect(count('touched')).toBe(touchedMax)
    expect(book.touchedBy(addressOf('a'))).toEqual([addressOf('a'), addressOf('x')])
    expect(book.touchedBy(addressOf('b'))).toEqual([addressOf('b')])
  })
})

test('after a restore, a module continues from the state of the validators, which may be newer than the backup', async () => {
  let parts: { table: string; rows: string }[] = []
  await runInDurableObject(env.DIRECT_ORDER.getByName('lost'), (_, { storage }) => {
    expect(new StateBook(storage).decide(quorumOf('a', [written('a'), read('x')]))).toBe(true)
    parts = directOrderTables.map((_, i) => dumpPage(storage, directOrderTables, JSON.stringify([i, null])))
  })
  await runInDurableObject(env.DIRECT_ORDER.getByName('again'), (_, { storage }) => {
    for (const part of parts) expect(loadRows(storage, directOrderTables, 'monday', part)).toBe(true)
    const book = new StateBook(storage)
    expect(book.touchedBy(addressOf('a'))).toEqual([addressOf('a'), addressOf('x')])
    // A round that the backup does not know has come between.
    expect(book.decide(quorumOf('a', [written('a', 2)]))).toBe(true)
    expect(book.decide(quorumOf('a', [written('a', 2)]))).toBe(false)
  })
})
