/**
 * Brings the tables of a Durable Object to the newest version; the list of versions only grows at its end.
 * @throws {Error} If a hub with more versions has written the storage. Nothing is changed then.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const version = storage.kv.get<number>('migrations') ?? 0
  if (version === migrations.length) return
  if (version > migrations.length)
    throw new Error(
      `The storage of this Durable Object has version ${version}, and this hub knows ${migrations.length}. Run the hub that ` +
        'wrote it, or a newer one; on a development machine, remove the data of the local hub.',
    )
  storage.transactionSync(() => {
    for (const sql of migrations.slice(version)) storage.sql.exec(sql)
    storage.kv.put('migrations', migrations.length)
  })
}

/** Whether the object has any tables. */
export const isMigrated = (storage: DurableObjectStorage): boolean =>
  storage.kv.get('migrations') !== undefined
