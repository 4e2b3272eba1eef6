import { ArchiveStore } from '../stores/archives.ts'
import type { Database } from '../stores/database.ts'
import { ArchiveFiles } from './archive-files.ts'
import { IdIndex } from './id-index.ts'

/** The stores of archives. They are loaded only when rounds are archived or looked up in archives. */
export const openArchive = (db: Database, bucket: R2Bucket) => ({
  store: new ArchiveStore(db),
  files: new ArchiveFiles(bucket),
  idIndex: new IdIndex(bucket),
})

export type Archive = ReturnType<typeof openArchive>
