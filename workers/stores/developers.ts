import { and, eq, type InferSelectModel, inArray } from 'drizzle-orm'
import { type Database, query, read } from './database.ts'
import { developers } from './schema.ts'

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

export class DeveloperStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  async find(address: string): Promise<Developer | null> {
    const rows = await read(() => this.#db.select().from(developers).where(eq(developers.address, address)))
    return rows[0] ?? null
  }

  /** Records an application. Refused while one is pending or active; exactly one of racing ones is taken. */
  async enroll(enrollment: Enrollment, now: number): Promise<'recorded' | 'invalid_state'> {
    const { address, ...columns } = enrollment
    const result = await query(
      this.#db
        .insert(developers)
        .values({ address, ...columns, social: {}, createdAt: now, updatedAt: now })
        .onConflictDoUpdate({
          target: developers.address,
          set: { ...columns, updatedAt: now },
          setWhere: inArray(developers.enrollment, ['draft', 'rejected']),
        }),
    )
    return result.meta.changes === 1 ? 'recorded' : 'invalid_state'
  }

  /** Asks for verification. Refused without an enrollment, and while one is pending or granted. */
  async requestVerification(
    address: string,
    verification: 'pending' | 'verified',
    now: number,
  ): Promise<'recorded' | 'invalid_state'> {
    const result = await query(
      this.#db
        .update(developers)
        .set({ verification, updatedAt: now })
        .where(
          and(
            eq(developers.address, address),
            inArray(developers.enrollment, ['pending', 'active']),
            inArray(developers.verification, ['unverified', 'rejected']),
          ),
        ),
    )
    return result.meta.changes === 1 ? 'recorded' : 'invalid_state'
  }

  async updateProfile(address: string, profile: Profile, now: number): Promise<'updated' | 'missing'> {
    const result = await query(
      this.#db
        .update(developers)
        .set({ ...profile, updatedAt: now })
        .where(eq(developers.address, address)),
    )
    return result.meta.changes === 1 ? 'updated' : 'missing'
  }
}
