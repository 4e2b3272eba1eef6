import { and, eq, type InferSelectModel, inArray, sql } from 'drizzle-orm'
import { auditStatement, type Decision } from './audit-log.ts'
import type { Wallet } from './caller.ts'
import { batch, isChanged, Store } from './database.ts'
import { developers } from './schema/index.ts'

export type Developer = InferSelectModel<typeof developers>

export type Enrollment = Pick<
  Developer,
  'address' | 'enrollment' | 'verification' | 'developerType' | 'displayName'
> &
  Pick<Developer, 'email' | 'website' | 'reason' | 'agreementsAcceptedAt'>

export type Profile = Pick<
  Developer,
  'displayName' | 'bio' | 'website' | 'logo' | 'location' | 'email' | 'social'
>

export class DeveloperStore extends Store {
  async find(address: Wallet): Promise<Developer | null> {
    return (await this.db.select().from(developers).where(eq(developers.address, address)).get()) ?? null
  }

  /** Records an application. Refused while one is pending or active; exactly one of racing ones is taken. */
  async enroll(enrollment: Enrollment, now: number): Promise<'recorded' | 'invalid_state'> {
    const { address, ...stated } = enrollment
    const isDecided = stated.enrollment === 'active'
    const columns = {
      ...stated,
      enrollmentSubmittedAt: stated.enrollment === 'draft' ? null : now,
      enrollmentReviewedAt: isDecided ? now : null,
      enrollmentNotes: null,
      verificationRequestedAt: isDecided ? now : null,
      verificationReviewedAt: isDecided ? now : null,
      verificationNotes: null,
    }
    const result = await this.db
      .insert(developers)
      .values({ address, ...columns, social: {}, createdAt: now, updatedAt: now })
      .onConflictDoUpdate({
        target: developers.address,
        set: { ...columns, updatedAt: now },
        setWhere: inArray(developers.enrollment, ['draft', 'rejected']),
      })
    return isChanged(result) ? 'recorded' : 'invalid_state'
  }

  /** Asks for verification. Refused without an enrollment, and while one is pending or granted. */
  async requestVerification(
    address: string,
    verification: 'pending' | 'verified',
    notes: string | null,
    now: number,
  ): Promise<'recorded' | 'invalid_state'> {
    const result = await this.db
      .update(developers)
      .set({
        ...{ verification, updatedAt: now, verificationNotes: notes, verificationRequestedAt: now },
        verificationReviewedAt: verification === 'verified' ? now : null,
      })
      .where(
        and(
          eq(developers.address, address),
          inArray(developers.enrollment, ['pending', 'active']),
          inArray(developers.verification, ['unverified', 'rejected']),
        ),
      )
    return isChanged(result) ? 'recorded' : 'invalid_state'
  }

  /** Members that are undefined stay as they are. */
  async updateProfile(
    address: string,
    profile: { [Name in keyof Profile]?: Profile[Name] | undefined },
    now: number,
  ): Promise<'updated' | 'missing'> {
    const result = await this.db
      .update(developers)
      .set({ ...profile, updatedAt: now })
      .where(eq(developers.address, address))
    return isChanged(result) ? 'updated' : 'missing'
  }

  /** Decides about an enrollment or a verification, and notes it. Refused for a wallet that did not ask, and where the decision stands already. */
  async decide(
    address: string,
    what: 'enrollment' | 'verification',
    isGranted: boolean,
    decision: Decision,
    now: number,
  ): Promise<'decided' | 'invalid_state'> {
    const granted = what === 'enrollment' ? 'active' : 'verified'
    const [status, other] = isGranted ? [granted, 'rejected'] : ['rejected', granted]
    const action = `developer.${what}.${isGranted ? 'approve' : 'reject'}`
    const column = developers[what]
    const found = sql`${developers.address} = ${address} AND ${column} IN ('pending', ${other})`
    const results = await batch(this.db, [
      auditStatement(
        { ...decision, action, subject: address, after: { [what]: status } },
        now,
        sql`SELECT json_object(${what}, ${column}) AS value FROM ${developers} WHERE ${found}`,
      ),
      this.db
        .update(developers)
        .set({
          [what]: status,
          [`${what}ReviewedAt`]: now,
          [`${what}Notes`]: decision.reason,
          updatedAt: now,
        })
        .where(found),
    ])
    return isChanged(results[1]) ? 'decided' : 'invalid_state'
  }
}
