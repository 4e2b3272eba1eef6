import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { bytesToHex, utf8 } from '../../protocol/encoding/index.ts'
import type { deviceClasses, ListingStatus } from '../../protocol/manifest/index.ts'
import { type Database, readRows, Store } from './database.ts'
import { classBit, type Project } from './project-row.ts'
import { RowReader } from './rows.ts'
import { categoryCounts, projects } from './schema/index.ts'
import { membersOf } from './statements.ts'

export const projectSorts = ['trending', 'newest', 'miners', 'earnings', 'rating', 'name'] as const
export type ProjectSort = (typeof projectSorts)[number]

export interface ProjectFilter {
  status: ListingStatus
  category?: Project['category'] | undefined
  developer?: string | undefined
  deviceClass?: (typeof deviceClasses)[number] | undefined
  tag?: string | undefined
  /** Words that all have to begin a word of name, tagline or tags. */
  words?: readonly string[] | undefined
}

/** The sort key of a project, then its ordinal, in which every order ends. */
export type ProjectPosition = [key: string | number, ordinal: number]

/** The column that each order compares before the ordinal; `newest` has none. */
const sortKeys = {
  newest: null,
  trending: projects.trendingScore,
  miners: projects.miners,
  earnings: projects.earningsKey,
  rating: projects.ratingX100,
  name: projects.nameKey,
} as const

const { manifestHash, consensusHash, classMask, vault, devicesByClass, lastSettledAt, ...others } =
  getTableColumns(projects)
const { reviewStatus, reviewReason, reviewConditions, reviewedAt, ...shown } = others
const listedRows = new RowReader(projects, membersOf(shown))
export type ListedProject = ReturnType<typeof listedRows.read>

export const positionOf = (sort: ProjectSort, project: ListedProject): ProjectPosition => {
  const keys = {
    newest: 0,
    trending: project.trendingScore,
    miners: project.miners,
    earnings: project.earningsKey,
    rating: project.ratingX100,
    name: project.nameKey,
  }
  return [keys[sort], project.ordinal ?? 0]
}

type Statement = ReturnType<ReturnType<typeof listQuery>['toSQL']>
type ListArguments = [
  filter: ProjectFilter,
  sort: ProjectSort,
  after: ProjectPosition | undefined,
  limit: number,
  isSearched: boolean,
]

/** Statements an isolate remembers. */
const statementsMax = 200

export class ProjectLists extends Store {
  readonly #statements = new Map<string, Statement>()

  /** `limit` rows after `after`, in the order of `sort`. */
  async list(
    filter: ProjectFilter,
    sort: ProjectSort,
    after: ProjectPosition | undefined,
    limit: number,
  ): Promise<ListedProject[]> {
    const isSearched =
      isSearch(filter, sort) || (filter.deviceClass !== undefined && (await this.#isRare(filter)))
    const { sql: text, params } = this.#statement(filter, sort, after, limit, isSearched)
    const rows = await readRows<Record<string, unknown>>(this.db, { text, params })
    return rows.map((row) => listedRows.read(row))
  }

  /** Building a statement costs more than sending it, and most callers ask for the same few lists. */
  #statement(...list: ListArguments): Statement {
    const name = JSON.stringify(list)
    const known = this.#statements.get(name)
    if (known !== undefined) return known
    if (this.#statements.size >= statementsMax) this.#statements.clear()
    // biome-ignore lint/plugin/noSpreadArguments: The four parts of a list.
    const statement = listQuery(this.db, ...list).toSQL()
    this.#statements.set(name, statement)
    return statement
  }

  async #isRare(filter: ProjectFilter): Promise<boolean> {
    const rows = await rarityQuery(this.db, filter)
    return rows.length <= sortedMatchesMax
  }

  /** Listed projects by category; a category that never had one is absent. */
  async countsByCategory(): Promise<Map<string, number>> {
    const rows = await this.db.select().from(categoryCounts)
    return new Map(rows.map(({ category, listed }) => [category, listed]))
  }
}

/** Matches of words or a tag that are sorted at most: the newest. */
export const sortedMatchesMax = 1_000

/**
 * Whether the search index is read for a list: for words, tags and the newest of a device class. In another order a class
 * is looked for along that order, as most projects take most classes, unless it is rare.
 */
const isSearch = ({ words, tag, deviceClass }: ProjectFilter, sort: ProjectSort): boolean =>
  words !== undefined || tag !== undefined || (deviceClass !== undefined && sort === 'newest')

/** Finds at most one project more than those that are sorted exactly. */
const rarityQuery = (db: Database, filter: ProjectFilter) =>
  db
    .select({ ordinal: sql`rowid` })
    .from(sql`project_search`)
    .where(sql`project_search MATCH ${matchExpression(filter)}`)
    .limit(sortedMatchesMax + 1)

/** The query of a list: of the search index, which knows every filter, or of one range of the index of the order. */
export const listQuery = (
  db: Database,
  filter: ProjectFilter,
  sort: ProjectSort,
  after: ProjectPosition | undefined,
  limit: number,
  isSearched = isSearch(filter, sort),
) => (isSearched ? searchQuery(db, filter, sort, after, limit) : rangeQuery(db, filter, sort, after, limit))

/** A developer has few projects, which are read newest first as they lie, or gathered and sorted. */
function rangeQuery(
  db: Database,
  { status, category, developer, deviceClass }: ProjectFilter,
  sort: ProjectSort,
  after: ProjectPosition | undefined,
  limit: number,
) {
  // A plus keeps the database from reading by a condition that narrows less.
  const column = (name: SQL) => (developer === undefined ? name : sql`+${name}`)
  return db
    .select(listedRows.columns)
    .from(projects)
    .where(
      and(
        sql`${column(sql`${projects.listingStatus}`)} = ${status}`,
        category === undefined ? undefined : sql`${column(sql`${projects.category}`)} = ${category}`,
        developer === undefined ? undefined : eq(projects.developer, developer),
        deviceClass === undefined ? undefined : sql`${projects.classMask} & ${classBit(deviceClass)} <> 0`,
        after && isAfter(sort, sql`${projects.ordinal}`, after),
      ),
    )
    .orderBy(() => orderOf(sort, sql`${projects.ordinal}`))
    .limit(limit)
}

/**
 * Matches are read newest first, as they lie in the search index. In another order the newest {@link sortedMatchesMax} are
 * gathered and sorted, so that a word of all projects costs no more than a rare one.
 */
function searchQuery(
  db: Database,
  filter: ProjectFilter,
  sort: ProjectSort,
  after: ProjectPosition | undefined,
  limit: number,
) {
  const matches = sql`project_search MATCH ${matchExpression(filter)}`
  const row = sql`project_search.rowid`
  // A cross join keeps the order in which tables are read.
  const read = db.select(listedRows.columns)
  if (sort === 'newest')
    return read
      .from(sql`project_search`)
      .crossJoin(projects)
      .where(and(matches, eq(projects.ordinal, row), after && isAfter(sort, row, after)))
      .orderBy(desc(row))
      .limit(limit)
  const ordinal = sql`found.ordinal`
  return read
    .from(
      sql`(SELECT ${row} AS ordinal FROM project_search WHERE ${matches} ORDER BY ${row} DESC
        LIMIT ${sortedMatchesMax}) AS found`,
    )
    .crossJoin(projects)
    .where(and(eq(projects.ordinal, ordinal), after && isAfter(sort, ordinal, after)))
    .orderBy(() => orderOf(sort, ordinal))
    .limit(limit)
}

function orderOf(sort: ProjectSort, ordinal: SQL): SQL[] {
  const key = sortKeys[sort]
  const direction = sort === 'name' ? asc : desc
  return [...(key ? [direction(key)] : []), direction(ordinal)]
}

function isAfter(sort: ProjectSort, ordinal: SQL, [at, number]: ProjectPosition): SQL {
  const key = sortKeys[sort]
  if (key === null) return sql`${ordinal} < ${number}`
  const comparison = sort === 'name' ? sql`>` : sql`<`
  return sql`(${key}, ${ordinal}) ${comparison} (${at}, ${number})`
}

/** Every word as a quoted prefix: nothing in it is read as an operator. Filters as `project_words` writes them. */
function matchExpression({ words, tag, status, category, developer, deviceClass }: ProjectFilter): string {
  const filters = [
    `status${status.replaceAll('_', '')}`,
    ...(category === undefined ? [] : [`category${category.replaceAll('-', '')}`]),
    ...(developer === undefined ? [] : [`developer${developer}`]),
    ...(deviceClass === undefined ? [] : [`class${classBit(deviceClass)}`]),
    ...(tag === undefined ? [] : [`tag${bytesToHex(utf8(tag)).slice(2)}`]),
  ]
  const all = (terms: readonly string[]) => `(${terms.join(' AND ')})`
  const searched = words?.map((word) => `"${word.replaceAll('"', '""')}"*`)
  return [
    ...(searched ? [`{name tagline tags} : ${all(searched)}`] : []),
    `filters : ${all(filters.map((one) => `"${one}"`))}`,
  ].join(' AND ')
}

/** The words of a search; none when it holds no letter and no digit. To the search index a text ends at U+0000. */
export const searchWords = (text: string): string[] =>
  text
    .replaceAll('\0', ' ')
    .split(/\s+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
