import { eq, sql } from 'drizzle-orm'
import { type CommitteeSetStore, fileOf, type ReadSet } from './committee-sets.ts'
import { batch, Store } from './database.ts'
import { committeeSetAttestations, committeeSets } from './schema/index.ts'
import { isEpoch } from './statements.ts'

/** Sets of one step: each takes three queries, and D1 answers 1,000 of an alarm, which takes 20 steps. */
const stepMax = 10

/** Moves attestations of sets whose epoch is long over from the database into the bucket: they are most of what an epoch leaves behind. */
export class FiledAttestations extends Store {
  /**
   * Moves those of some sets whose epoch ended by `until`, oldest first: the rows of a set go once its file was read back. Done again it changes
   * nothing. @returns Whether there were any.
   */
  async step(sets: CommitteeSetStore, until: number): Promise<boolean> {
    const { projectId, epoch, epochSecs, attestedAt, filed } = committeeSets
    const end = sql`(${epoch} + 1) * ${epochSecs}`
    const due = await this.db
      .select({ projectId, epoch })
      .from(committeeSets)
      .where(sql`${attestedAt} IS NOT NULL AND ${filed} IS NULL AND ${end} <= ${until}`)
      .orderBy(end)
      .limit(stepMax)
    for (const one of due) {
      const isOf = (table: typeof committeeSets | typeof committeeSetAttestations) =>
        isEpoch(table, one.projectId, one.epoch)
      const { attestations, valid } = (await sets.find(one.projectId, one.epoch)) as ReadSet
      const count = attestations.length
      const name = fileOf(one, count)
      const text = JSON.stringify({ attestations, valid })
      await sets.files.put(name, text)
      if ((await sets.files.text(name)) !== text) throw new Error(`${name} is not as it was written`)
      await batch(this.db, [
        // A set to which an attestation came meanwhile is filed the next time.
        this.db
          .update(committeeSets)
          .set({ filed: count })
          .where(sql`${isOf(committeeSets)} AND ${count} = (
            SELECT count(*) FROM ${committeeSetAttestations} WHERE ${isOf(committeeSetAttestations)})`),
        this.db.delete(committeeSetAttestations).where(sql`${isOf(committeeSetAttestations)} AND EXISTS (
          SELECT 1 FROM ${committeeSets} WHERE ${isOf(committeeSets)} AND ${eq(filed, count)})`),
      ])
    }
    return due.length > 0
  }
}
