import { sql } from 'drizzle-orm'
import { batch, Store } from './database.ts'
import { hubAlarms } from './schema/index.ts'
import { insertFrom } from './statements.ts'

/** Which alarms there are. Triggers tell the operators of each that begins, and that is over. */
export class HubAlarmStore extends Store {
  /** @param unknown - Names of alarms that stay as they are. @param now - Unix seconds. */
  async set(
    alarms: readonly { readonly name: string; readonly message: string }[],
    unknown: readonly string[],
    operators: readonly string[],
    now: number,
  ): Promise<void> {
    const list = JSON.stringify(alarms)
    const staying = JSON.stringify([...unknown, ...alarms.map(({ name }) => name)])
    const told = [...operators]
    await batch(this.db, [
      this.db
        .update(hubAlarms)
        .set({ operators: told })
        .where(sql`${hubAlarms.operators} <> ${JSON.stringify(told)}`),
      this.db
        .delete(hubAlarms)
        .where(sql`${hubAlarms.name} NOT IN (SELECT value FROM json_each(${staying}))`),
      insertFrom(
        hubAlarms,
        { name: sql`value->>'name'`, message: sql`value->>'message'`, since: now, operators: told },
        sql`FROM json_each(${list}) WHERE true`,
      ).onConflictDoNothing(),
    ])
  }
}
