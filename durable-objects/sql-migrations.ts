/** Applies the statements a Durable Object has not applied yet. The list only ever grows at its end. */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const applied = storage.kv.get<number>('migrations') ?? 0
  if (applied >= migrations.length) return
  storage.transactionSync(() => {
    for (const statement of migrations.slice(applied)) storage.sql.exec(statement)
    storage.kv.put('migrations', migrations.length)
  })
}

/** Whether the object has any tables. */
export const isMigrated = (storage: DurableObjectStorage): boolean =>
  storage.kv.get('migrations') !== undefined
