import { env } from 'cloudflare:workers'
import type { Json } from './known-answers.ts'

/** Deletes the rows of tables, for tests that meet the same record several times. */
export async function emptyTables(...names: string[]): Promise<void> {
  await env.DB.batch(names.map((name) => env.DB.prepare(`DELETE FROM ${name}`)))
}

const statement = (text: string, values: unknown[]) => env.DB.prepare(text).bind(...values)

/** Runs a statement. */
export const runSql = (text: string, ...values: unknown[]) => statement(text, values).run()

/** All rows of a query, and the first of them. */
export const rowsOf = async <Row = Json>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await statement(text, values).all<Row>()).results
export const rowOf = <Row = Json>(text: string, ...values: unknown[]) => statement(text, values).first<Row>()

/** The one column of the first row of a query; null without a row. */
export const scalarOf = async <Value = Json>(text: string, ...values: unknown[]): Promise<Value | null> =>
  Object.values((await rowOf<Record<string, Value>>(text, ...values)) ?? {})[0] ?? null

/** Gives a project a listing status, without the way there. */
export const setListingStatus = (projectId: string, status: string) =>
  runSql('UPDATE projects SET listing_status = ? WHERE project_id = ?', status, projectId)
