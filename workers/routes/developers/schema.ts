import * as z from 'zod'
import { example } from '../../examples.ts'
import { Address, HttpsUrl, line, lines, Timestamp } from '../../http/formats.ts'
import type { Developer } from '../../stores/developers.ts'

const enrollments = ['none', 'draft', 'pending', 'active', 'rejected'] as const
const verifications = ['unverified', 'pending', 'verified', 'rejected'] as const

const DisplayName = line(64, 1)
const Email = z.email({ error: 'must be an e-mail address' }).max(254)

const publicFields = {
  address: Address,
  display_name: z.string(),
  bio: z.string().nullable(),
  website: z.string().nullable(),
  logo: z.string().nullable(),
  location: z.string().nullable(),
  social: z.record(z.string(), z.string()),
  verified: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const DeveloperView = z.strictObject(publicFields).meta({ id: 'Developer' })

export const OwnDeveloperView = z
  .strictObject({
    ...publicFields,
    email: z.string().nullable(),
    enrollment: z.enum(enrollments),
    verification: z.enum(verifications),
    developer_type: z.enum(['individual', 'organization']).nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'OwnDeveloper' })

export const ProfileUpdate = z
  .strictObject({
    display_name: DisplayName,
    bio: lines(2000).nullable().default(null),
    website: HttpsUrl.nullable().default(null),
    logo: HttpsUrl.nullable().default(null),
    location: line(64).nullable().default(null),
    email: Email.nullable().default(null),
    social: z
      .record(z.string().regex(/^[a-z0-9_]{1,32}$/, 'must be 1 to 32 of a-z, 0-9 and _'), line(256))
      .refine((map) => Object.keys(map).length <= 16, 'must have at most 16 keys')
      .default({}),
  })
  .meta({ id: 'DeveloperProfile' })

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

export const developerView = (developer: Developer): z.output<typeof DeveloperView> => ({
  address: developer.address,
  display_name: developer.displayName,
  bio: developer.bio,
  website: developer.website,
  logo: developer.logo,
  location: developer.location,
  social: developer.social,
  verified: developer.verification === 'verified',
  created_at: developer.createdAt,
  updated_at: developer.updatedAt,
})

export const ownDeveloperView = (developer: Developer): z.output<typeof OwnDeveloperView> => ({
  ...developerView(developer),
  email: developer.email,
  enrollment: developer.enrollment,
  verification: developer.verification,
  developer_type: developer.developerType,
  reason: developer.reason,
})

export const developerExample: z.output<typeof DeveloperView> = {
  address: example.wallet,
  display_name: 'Ada Computing',
  bio: 'Rendering for everybody.',
  website: 'https://ada.example',
  logo: null,
  location: 'London',
  social: { github: 'ada' },
  verified: true,
  created_at: example.time,
  updated_at: example.time,
}

export const ownDeveloperExample: z.output<typeof OwnDeveloperView> = {
  ...developerExample,
  email: 'ada@ada.example',
  enrollment: 'active',
  verification: 'verified',
  developer_type: 'individual',
  reason: null,
}
