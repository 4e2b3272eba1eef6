import path from 'node:path'
import { CommandError } from '../../scripts/command/errors.ts'
import { type BackedDatabase, continueEvents, runAll } from './database.ts'
import { type Post, pagesOf, rebuildRounds } from './objects.ts'
import { recordSecs } from './restore.ts'

export interface RepairOptions {
  readonly database: BackedDatabase
  readonly post: Post
  /** The moment that the database was set back to, in Unix seconds. */
  readonly since: number
  /** Left out, differences are only shown. */
  readonly isRepaired: boolean
  /** For the statements. */
  readonly folder: string
  readonly say: (line: string) => void
}

interface ComparedPage {
  readonly differences: readonly { object: string; what: string; count: number }[]
  readonly next_cursor: string | null
}

/**
 * Brings a database that Time Travel has set back to what Durable Objects and the bucket know. The index goes on from the chain by itself.
 * @returns How many differences there are, or were. @throws {@link CommandError}
 */
export async function repair({
  database,
  post,
  since,
  isRepaired,
  folder,
  say,
}: RepairOptions): Promise<number> {
  const reason = `The database was set back to ${new Date(since * 1000).toISOString()}.`
  // Before anything is written to the log of events.
  if (isRepaired) await runAll(database, [continueEvents], path.join(folder, 'continue.sql'))
  const verb = isRepaired ? 'told' : 'lacks'
  let sum = 0
  const body = { since, repair: isRepaired, reason }
  for await (const { differences } of pagesOf<ComparedPage>(post, '/admin/v1/objects/compare', body))
    for (const { object, what, count } of differences) {
      sum += count
      say(`${object}: ${count} ${what.replaceAll('_', ' ')} ${verb}`)
    }
  const { written, failed } = await rebuildRounds(post, {
    since: since - recordSecs,
    trial: !isRepaired,
    reason,
  })
  say(`rounds: ${written} ${verb}`)
  if (failed.length > 0)
    throw new CommandError(
      `${failed.length} rounds could not be written, such as ${failed[0]}. Run the command again.`,
    )
  return sum + written
}
