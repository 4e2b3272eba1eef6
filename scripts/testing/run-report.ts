import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Writes what a run of tests has to tell, into the folder that a variable of the environment names. */
export function writeReport(variable: string, report: string): void {
  const folder = process.env[variable]
  if (folder === undefined) throw new Error(`${variable} has to name a folder.`)
  writeFileSync(path.join(folder, String(process.pid)), report)
}

/** The reports of all runs. */
export const readReports = (folder: string): string[] =>
  readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'))
