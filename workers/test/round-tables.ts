import { env } from 'cloudflare:workers'
import { emptyTables, runSql } from './tables.ts'

const counters = ['epoch_rounds', 'epoch_credits', 'proof_hours', 'network_hours', 'round_offences'] as const

/** Has the database forget every round, and all that followed from one. */
export async function forgetRounds(reputation: number): Promise<void> {
  await emptyTables('rounds', 'leases', ...counters)
  await runSql(
    `UPDATE subscriptions SET reputation = ?, credited_rounds = 0, missed_leases = 0, disagreements = 0, units = 0, days = '{}',
      last_proof_at = NULL`,
    reputation,
  )
  await runSql('UPDATE modules SET exec_count = 0')
}

/** Everything that rounds are written to and counted in; offences that are still to be recorded come last. */
export async function rowsOfRounds(): Promise<unknown[][]> {
  const tables = ['subscriptions', 'leases', 'rounds', 'modules', ...counters]
  const found = await env.DB.batch(
    tables.map((table) => env.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)),
  )
  return found.map(({ results }) => results)
}
