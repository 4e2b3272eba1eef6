import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import type { RoundState } from '../../protocol/rounds/index.ts'
import { emptyTables, rowsOf, runSql } from '../test/tables.ts'
import { openDatabase } from './database.ts'
import { type ListedRound, type RoundFilter, RoundLists, type RoundPosition } from './round-lists.ts'

const projects = [hashText('a project'), hashText('another project')]
const modules = [hashText('a module'), hashText('another module')]
const states: RoundState[] = ['pending', 'finalized']
const attemptOf = () => 0

/** Every filter there is, alone and with all others. */
const filters = [undefined, projects[0]].flatMap((projectId) =>
  [undefined, modules[0]].flatMap((module) =>
    ([undefined, 'task', 'exec'] as const).flatMap((kind) =>
      [undefined, states[0]].map((state): RoundFilter => ({ projectId, module, kind, state })),
    ),
  ),
)
const cases = filters.map((filter) => [JSON.stringify(filter), filter] as const)

/** Two of each kind there can be: direct rounds have no project. */
const rows = [...projects, null].flatMap((project) =>
  modules.flatMap((module) =>
    states.flatMap((state) =>
      [0, 1].map((at) => ({
        roundId: `${project === null ? 'exec' : 'task'}:${hashText(`${project} ${module} ${state} ${at}`)}`,
        kind: project === null ? 'exec' : 'task',
        projectId: project,
        module,
        state,
        issuedAt: 1_000 + at,
      })),
    ),
  ),
)

await emptyTables('rounds', 'epoch_receipts')
await runSql(
  `INSERT INTO rounds (round_id, kind, state, project_id, module_address, issued_at, function, input_hash, gas_limit,
       committee_size, votes, agreeing, audited)
     SELECT value->>'roundId', value->>'kind', value->>'state', value->>'projectId', value->>'module', value->>'issuedAt',
       'echo', '', 1, 3, 0, 0, 0 FROM json_each(?)`,
  JSON.stringify(rows),
)

describe.each(cases)('a list of rounds with %s', (_, filter) => {
  const { projectId, module, kind, state } = filter

  test('contains these and no others, newest first, in pages', async () => {
    const lists = new RoundLists(openDatabase(env.DB))
    const listed: ListedRound[] = []
    for (let after: RoundPosition | undefined; ; ) {
      const { rounds: page } = await lists.list(filter, after, 3, attemptOf)
      // A list of a project has rounds of other modules too; the caller that makes the page passes over them.
      listed.push(...page.filter((row) => module === undefined || row.moduleAddress === module))
      const last = page.at(-1)
      if (last === undefined || page.length < 3) break
      after = { createdAt: last.createdAt, name: last.roundId }
    }
    const expected = rows
      .filter((row) => projectId === undefined || row.projectId === projectId)
      .filter((row) => module === undefined || row.module === module)
      .filter((row) => kind === undefined || row.kind === kind)
      .filter((row) => state === undefined || row.state === state)
      .sort((a, b) => b.issuedAt - a.issuedAt || (a.roundId < b.roundId ? 1 : -1))
    expect(listed.map(({ roundId }) => roundId)).toEqual(expected.map(({ roundId }) => roundId))
  })

  test('reads no other rows', async () => {
    const { db, asked } = listeningDatabase()
    const after = { createdAt: 1_001, name: 'task:' }
    await new RoundLists(openDatabase(db)).list(filter, after, 20, attemptOf)
    const ofRounds = asked.filter(({ text }) => text.includes('"rounds"'))
    const named = {
      project_id: projectId !== undefined,
      module_address: module !== undefined && projectId === undefined,
      // Rounds of a project are tasks. All others are read by their kinds.
      kind: projectId === undefined,
      // Rounds with a result have an index of their own.
      state: state !== undefined && state !== 'finalized',
    }
    expect(ofRounds).toHaveLength(projectId !== undefined && kind === 'exec' ? 0 : 1)
    for (const { text, values } of ofRounds) {
      const results = await rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values)
      const details = results.map(({ detail }) => detail)
      // Each range is one of one index; the database merges them as they come, and sorts nothing.
      const ranges = details.flatMap(
        (detail) => /^SEARCH rounds USING INDEX \w+ \((.*)\)$/.exec(detail)?.[1] ?? [],
      )
      const others = details.filter((detail) => !detail.startsWith('SEARCH'))
      expect(others.filter((detail) => !/^(MERGE \(UNION ALL\)|LEFT|RIGHT)$/.test(detail))).toEqual([])
      expect(ranges).toHaveLength(
        (kind === undefined && projectId === undefined ? 2 : 1) * (state === undefined ? 2 : 1),
      )
      for (const range of ranges)
        for (const [column, isNamed] of Object.entries(named))
          expect(range.includes(`${column}=?`), `${column} in ${range}`).toBe(isNamed)
    }
  })
})

/** The database of the tests, and every statement that it is asked, in order. */
function listeningDatabase(): { db: D1Database; asked: { text: string; values: unknown[] }[] } {
  const asked: { text: string; values: unknown[] }[] = []
  const prepare = (text: string) => {
    const statement = env.DB.prepare(text)
    return {
      bind: (...values: unknown[]) => {
        asked.push({ text, values })
        return statement.bind(...values)
      },
    }
  }
  return { db: { prepare } as unknown as D1Database, asked }
}
