import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { ListingStatus } from '../../protocol/listing-status.ts'
import type { deviceClasses } from '../../protocol/project-manifest.ts'
import { type Database, read } from './database.ts'
import { classBit, type Project } from './project-row.ts'
import { categoryCounts, projects, projectTags } from './schema.ts'

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

/** What each order compares before the ordinal; the newest has nothing else. */
const sortKeys = {
  newest: null,
  trending: projects.trendingScore,
  miners: projects.miners,
  earnings: projects.earningsKey,
  rating: projects.ratingX100,
  name: projects.nameKey,
} as const

export const positionOf = (sort: ProjectSort, project: Project): ProjectPosition => {
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

/** Projects as everybody finds them. */
export class ProjectLists {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  /** `limit` rows after `after`, in the order of `sort`. */
  async list(
    filter: ProjectFilter,
    sort: ProjectSort,
    after: ProjectPosition | undefined,
    limit: number,
  ): Promise<Project[]> {
    return read(() => listQuery(this.#db, filter, sort, after, limit))
  }

  /** Listed projects by category; a category that never had one is absent. */
  async countsByCategory(): Promise<Map<string, number>> {
    const rows = await read(() => this.#db.select().from(categoryCounts))
    return new Map(rows.map(({ category, listed }) => [category, listed]))
  }
}

/**
 * The query of a list. What narrows most is read first: words, then a tag, then a developer; they are read newest first
 * as they lie, or gathered and sorted. Without any of them the index of the order is read as one range.
 */
export function listQuery(
  db: Database,
  filter: ProjectFilter,
  sort: ProjectSort,
  after: ProjectPosition | undefined,
  limit: number,
) {
  const { status, category, developer, deviceClass, tag, words } = filter
  const source = sourceOf(filter)
  // A plus keeps the database from reading by a condition that narrows less.
  const narrowed = source !== null || developer !== undefined
  const column = (name: SQL) => (narrowed ? sql`+${name}` : name)
  const ordinal = source?.ordinal ?? sql`${projects.ordinal}`
  const key = sortKeys[sort]
  const direction = sort === 'name' ? asc : desc
  const where = and(
    source?.where,
    sql`${column(sql`${projects.listingStatus}`)} = ${status}`,
    category === undefined ? undefined : sql`${column(sql`${projects.category}`)} = ${category}`,
    developer === undefined
      ? undefined
      : source === null
        ? eq(projects.developer, developer)
        : sql`+${projects.developer} = ${developer}`,
    deviceClass === undefined ? undefined : sql`${projects.classMask} & ${classBit(deviceClass)} <> 0`,
    tag === undefined || words === undefined
      ? undefined
      : sql`EXISTS (SELECT 1 FROM ${projectTags} AS t WHERE t.tag = ${tag} AND t.ordinal = ${projects.ordinal})`,
    after && isAfter(sort, key && sql`${key}`, ordinal, after),
  )
  const order = [...(key ? [direction(key)] : []), direction(ordinal)]
  if (source === null)
    return db
      .select()
      .from(projects)
      .where(where)
      .orderBy(...order)
      .limit(limit)
  const { table } = source
  const columns = getTableColumns(projects)
  return db
    .select(columns)
    .from(table)
    .crossJoin(projects)
    .where(where)
    .orderBy(...order)
    .limit(limit)
}

function isAfter(sort: ProjectSort, key: SQL | null, ordinal: SQL, [at, number]: ProjectPosition): SQL {
  if (key === null) return sql`${ordinal} < ${number}`
  const comparison = sort === 'name' ? sql`>` : sql`<`
  return sql`(${key}, ${ordinal}) ${comparison} (${at}, ${number})`
}

/** Where to begin; a cross join keeps the order in which tables are read. */
function sourceOf({ words, tag }: ProjectFilter): { table: SQL; where: SQL; ordinal: SQL } | null {
  if (words !== undefined) {
    const ordinal = sql`project_search.rowid`
    const where = sql`project_search MATCH ${matchExpression(words)} AND ${projects.ordinal} = ${ordinal}`
    return { table: sql`project_search`, where, ordinal }
  }
  if (tag !== undefined) {
    const ordinal = sql`${projectTags.ordinal}`
    const where = sql`${projectTags.tag} = ${tag} AND ${projects.ordinal} = ${ordinal}`
    return { table: sql`${projectTags}`, where, ordinal }
  }
  return null
}

/** Every word as a quoted prefix: nothing in it is read as an operator. */
const matchExpression = (words: readonly string[]): string =>
  words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' ')

/** The words of a search; none when it holds no letter and no digit. */
export const searchWords = (text: string): string[] =>
  text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
