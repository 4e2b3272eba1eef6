import * as z from 'zod'
import { example } from '../../examples.ts'
import { Address, HttpsUrl, line, lines, Timestamp } from '../../http/formats.ts'
import type { Developer } from '../../stores/developers.ts'

const enrollments = ['none', 'draft', 'pending', 'active', 'rejected'] as const
const verifications = ['unverified', 'pending', 'verified', 'rejected'] as const

const DisplayName = line(64, 1)
const Email = z.email({ error: 'must be an e-mail address' }).max(254)

const Enrollment = z
  .strictObject({
    status: z.enum(enrollments),
    submitted_at: Timestamp.nullable(),
    reviewed_at: Timestamp.nullable(),
    notes: z.string().nullable().describe('Of the operator who decided; for the owner and operators only.'),
  })
  .meta({ id: 'Enrollment' })

const Verification = z
  .strictObject({
    status: z.enum(verifications),
    submitted_at: Timestamp.nullable().describe('When it was asked for, as of an enrollment.'),
    requested_at: Timestamp.nullable().describe('The same as `submitted_at`.'),
    reviewed_at: Timestamp.nullable(),
    notes: z
      .string()
      .nullable()
      .describe('Of the request, then of the operator who decided; for the owner and operators only.'),
  })
  .meta({ id: 'Verification' })

const publicFields = {
  address: Address,
  display_name: z.string(),
  developer_type: z.enum(['individual', 'organization']).nullable(),
  bio: z.string().nullable(),
  website: z.string().nullable(),
  logo: z.string().nullable(),
  location: z.string().nullable(),
  social: z.record(z.string(), z.string()),
  enrollment: Enrollment,
  verification: Verification,
  projects: z.int().describe('Listed projects.'),
  miners: z.int().describe('Devices that are bonded to them.'),
  joined_at: Timestamp,
  updated_at: Timestamp,
}

export const DeveloperView = z.strictObject(publicFields).meta({ id: 'Developer' })

export const OwnDeveloperView = z
  .strictObject({
    ...publicFields,
    email: z.string().nullable(),
    reason: z.string().nullable().describe('As the developer stated it.'),
  })
  .meta({ id: 'OwnDeveloper' })

const profile = {
  display_name: DisplayName,
  bio: lines(2000).nullable(),
  website: HttpsUrl.nullable(),
  logo: HttpsUrl.nullable(),
  location: line(64).nullable(),
  email: Email.nullable(),
  social: z
    .record(z.string().regex(/^[a-z0-9_]{1,32}$/, 'must be 1 to 32 of a-z, 0-9 and _'), line(256))
    .refine((map) => Object.keys(map).length <= 16, 'must have at most 16 keys'),
}

export const ProfileUpdate = z
  .strictObject({
    display_name: profile.display_name,
    bio: profile.bio.default(null),
    website: profile.website.default(null),
    logo: profile.logo.default(null),
    location: profile.location.default(null),
    email: profile.email.default(null),
    social: profile.social.default({}),
  })
  .meta({ id: 'DeveloperProfile' })

export const ProfileChange = z.strictObject(profile).partial().meta({ id: 'DeveloperProfileChange' })

export const VerificationRequest = z
  .strictObject({
    notes: lines(2000).nullable().optional().describe('Facts that help the operators to decide.'),
  })
  .meta({ id: 'VerificationRequest' })

export const EnrollmentRequest = z
  .strictObject({
    draft: z.boolean().default(false).describe('Store the application without submitting it.'),
    developer_type: z.enum(['individual', 'organization']),
    display_name: DisplayName,
    email: Email.optional(),
    website: HttpsUrl.optional(),
    reason: lines(2000).optional(),
    agreements_accepted: z.literal(true, { error: 'must be true' }),
  })
  .meta({ id: 'EnrollmentRequest' })

const view = (developer: Developer, { isPublic }: { isPublic: boolean }): z.output<typeof DeveloperView> => ({
  address: developer.address,
  display_name: developer.displayName,
  developer_type: developer.developerType,
  bio: developer.bio,
  website: developer.website,
  logo: developer.logo,
  location: developer.location,
  social: developer.social,
  enrollment: {
    status: developer.enrollment,
    submitted_at: developer.enrollmentSubmittedAt,
    reviewed_at: developer.enrollmentReviewedAt,
    notes: isPublic ? null : developer.enrollmentNotes,
  },
  verification: {
    status: developer.verification,
    submitted_at: developer.verificationRequestedAt,
    requested_at: developer.verificationRequestedAt,
    reviewed_at: developer.verificationReviewedAt,
    notes: isPublic ? null : developer.verificationNotes,
  },
  projects: developer.projects,
  miners: developer.miners,
  joined_at: developer.createdAt,
  updated_at: developer.updatedAt,
})

export const developerView = (developer: Developer) => view(developer, { isPublic: true })

export const ownDeveloperView = (developer: Developer): z.output<typeof OwnDeveloperView> => ({
  ...view(developer, { isPublic: false }),
  email: developer.email,
  reason: developer.reason,
})

export const developerExample: z.output<typeof DeveloperView> = {
  address: example.wallet,
  display_name: 'Ada Computing',
  developer_type: 'individual',
  bio: 'Rendering for everybody.',
  website: 'https://ada.example',
  logo: null,
  location: 'London',
  social: { github: 'ada' },
  enrollment: { status: 'active', submitted_at: example.time, reviewed_at: example.time, notes: null },
  verification: {
    status: 'verified',
    submitted_at: example.time,
    requested_at: example.time,
    reviewed_at: example.time,
    notes: null,
  },
  projects: 1,
  miners: 12,
  joined_at: example.time,
  updated_at: example.time,
}

export const ownDeveloperExample: z.output<typeof OwnDeveloperView> = {
  ...developerExample,
  email: 'ada@ada.example',
  reason: null,
}
