import * as z from 'zod'
import { compareObjects } from '../../backup/compare.ts'
import { dumpObjects } from '../../backup/dump.ts'
import { namesAfter, objectOf } from '../../backup/objects.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Timestamp } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { BackupStore } from '../../stores/backups.ts'
import { ofOperators, Reason } from './schema.ts'

const cursor = z
  .string()
  .max(1024)
  .nullable()
  .default(null)
  .describe('The `next_cursor` of the previous call; null begins with the first object.')
const NextCursor = z.string().nullable().describe('Null after the last object.')

const ObjectRows = z
  .strictObject({
    object: z
      .string()
      .regex(
        /^(relayer \d{1,16}:0x[0-9a-f]{40}|direct-order|project 0x[0-9a-f]{64})$/,
        'must name an object of a backup',
      )
      .describe('The object: a relayer by chain and key, the order of direct rounds, or a project.'),
    table: z.string().regex(/^[a-z_]{1,40}$/, 'must be the name of a table'),
    rows: z.string().max(4_000_000).describe('JSON text: a list of rows, each an object of columns.'),
  })
  .meta({ id: 'ObjectRows' })

const rowsExample = {
  object: `project ${example.digest}`,
  table: 'stored_sequences',
  rows: '[{"epoch":41,"next":1280,"skipped":0}]',
}

/** Everybody's page has a cursor of its own; this hub reads no other. */
const positionOf = (c: HubContext, list: string, given: string | null): string | null =>
  given === null ? null : String(c.var.services.cursors.decode(list, given)[0])
const nextCursor = (c: HubContext, list: string, next: string | null): string | null =>
  next === null ? null : c.var.services.cursors.encode(list, [next])
const hubOf = ({ env, var: { settings, services } }: HubContext) => ({ env, settings, services })

export const dump = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/objects/dump',
    operationId: 'dumpObjects',
    summary: 'Read what Durable Objects alone know, for a backup',
    description:
      'Rows of the objects that own money or order: the actions and nonces of relayers, the tasks and sequence numbers of projects, the order of direct rounds. `npm run deploy -- backup` calls it. The rows have inputs of tasks and signed transactions: keep them as you keep secrets.',
    ...ofOperators,
    json: {
      schema: z.strictObject({ cursor }).meta({ id: 'DumpObjectsInput' }),
      example: { cursor: null },
      optional: true,
    },
    responses: ok(
      'One page of rows was read.',
      z.strictObject({ parts: z.array(ObjectRows), next_cursor: NextCursor }).meta({ id: 'DumpedObjects' }),
      { parts: [rowsExample], next_cursor: null },
    ),
  },
  async (c, { json: { cursor: given } }) => {
    const list = 'dumped objects'
    const { parts, next } = await dumpObjects(hubOf(c), positionOf(c, list, given))
    return json({ parts, next_cursor: nextCursor(c, list, next) })
  },
)

const BackupId = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'must be the id of a backup')
  .describe('The id of the backup.')
const backupExample = 'staging-2026-11-26T03-00-00Z'

export const noteBackup = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/objects/dumped',
    operationId: 'noteBackup',
    summary: 'Note that a backup is whole',
    description:
      'The alarm `backup_late` counts from this call. `npm run deploy -- backup` makes it after all files of the backup are where they are kept.',
    ...ofOperators,
    json: {
      schema: z.strictObject({ backup: BackupId, reason: Reason }).meta({ id: 'NoteBackupInput' }),
      example: { backup: backupExample },
    },
    responses: ok(
      'It is noted.',
      z.strictObject({ backup: BackupId, noted_at: Timestamp }).meta({ id: 'NotedBackup' }),
      { backup: backupExample, noted_at: example.time },
    ),
  },
  async (c, { json: { backup, reason } }) => {
    const { clock, store } = c.var.services
    const now = await clock.now()
    await store(BackupStore).noteMade(backup, { operator: sessionOf(c).address, reason }, now)
    return json({ backup, noted_at: now })
  },
)

export const load = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/objects/load',
    operationId: 'loadObject',
    summary: 'Give a Durable Object rows of a backup',
    description:
      'Only to an object that has never worked: others answer `invalid_state`. The same rows again change nothing. `npm run deploy -- restore` calls it for all parts of a backup, and then `POST /admin/v1/objects/resume`.',
    ...ofOperators,
    json: {
      schema: ObjectRows.extend({ backup: BackupId }).meta({ id: 'LoadObjectInput' }),
      bytesMax: 5_000_000,
      example: { ...rowsExample, backup: backupExample },
    },
    responses: ok(
      'The object has the rows.',
      z.strictObject({ object: z.string() }).meta({ id: 'LoadedObject' }),
      { object: rowsExample.object },
    ),
    errors: ['not_found', 'invalid_state'],
  },
  async (c, { json: { backup, object: name, table, rows } }) => {
    requireRows(rows)
    const object = objectOf(hubOf(c), name)
    if (object === null) throw new ApiError('not_found', `This hub has no object ${name}: it has other keys.`)
    if (!(await object.load(backup, { table, rows })))
      throw new ApiError(
        'invalid_state',
        `The object ${name} is in use, or has no table ${table}. Restore into a fresh environment, with the build that made the backup.`,
      )
    return json({ object: name })
  },
)

function requireRows(text: string): void {
  let rows: unknown
  try {
    rows = JSON.parse(text)
  } catch {
    rows = null
  }
  const isRow = (row: unknown) => typeof row === 'object' && row !== null && !Array.isArray(row)
  if (!Array.isArray(rows) || !rows.every(isRow)) throw invalidField('rows', 'must be a JSON list of objects')
}

const resumedMax = 20

export const resume = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/objects/resume',
    operationId: 'resumeObjects',
    summary: 'Have Durable Objects go to work after a restore',
    description:
      'After all rows were loaded and the rounds of the bucket were written to the database (`POST /admin/v1/rounds/rebuild`). No sequence number that a lost task may have had is given again, open rounds begin again, and actions are followed to their end.',
    ...ofOperators,
    json: {
      schema: z.strictObject({ cursor, reason: Reason }).meta({ id: 'ResumeObjectsInput' }),
      example: { reason: 'Restored from the backup of Monday.' },
      optional: true,
    },
    responses: ok(
      'These objects work.',
      z
        .strictObject({ objects: z.array(z.string()), next_cursor: NextCursor })
        .meta({ id: 'ResumedObjects' }),
      { objects: [rowsExample.object], next_cursor: null },
    ),
    errors: ['invalid_state'],
  },
  async (c, { json: { cursor: given, reason } }) => {
    const { clock, store } = c.var.services
    const hub = hubOf(c)
    const list = 'resumed objects'
    const after = positionOf(c, list, given)
    const operator = sessionOf(c).address
    if (after === null) await store(BackupStore).noteResumed({ operator, reason }, await clock.now())
    const objects = await namesAfter(hub, after, resumedMax)
    const isResumed = await Promise.all(objects.map((name) => objectOf(hub, name)?.resume()))
    const inUse = objects.filter((_, i) => isResumed[i] === false)
    if (inUse.length > 0)
      throw new ApiError(
        'invalid_state',
        `No backup was loaded into ${inUse.join(', ')}, which is in use. Resume only a hub that was just restored.`,
      )
    return json({ objects, next_cursor: nextCursor(c, list, objects.at(-1) ?? null) })
  },
)

export const compare = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/objects/compare',
    operationId: 'compareObjects',
    summary: 'Compare Durable Objects with a database that was set back',
    description:
      'After Time Travel has set the database back to an earlier moment: actions whose state it does not know, and tasks that wait and that it has no note of. `npm run deploy -- repair` calls it.',
    ...ofOperators,
    json: {
      schema: z
        .strictObject({
          cursor,
          since: Timestamp.describe('The moment that the database was set back to, or an earlier one.'),
          repair: z.boolean().default(false).describe('Have the database told what it lacks.'),
          reason: Reason,
        })
        .meta({ id: 'CompareObjectsInput' }),
      example: { since: example.time, repair: true, reason: 'The database was set back to Monday.' },
    },
    responses: ok(
      'Objects were compared.',
      z
        .strictObject({
          differences: z.array(
            z.strictObject({
              object: z.string(),
              what: z.enum(['actions', 'queued_tasks']),
              count: z.int().describe('Of actions, 5,000 at most are compared at once.'),
            }),
          ),
          next_cursor: NextCursor,
        })
        .meta({ id: 'ComparedObjects' }),
      {
        differences: [{ object: rowsExample.object, what: 'queued_tasks', count: 12 }],
        next_cursor: null,
      },
    ),
  },
  async (c, { json: { cursor: given, since, repair, reason } }) => {
    const { auditLog, clock } = c.var.services
    const list = 'compared objects'
    const after = positionOf(c, list, given)
    if (after === null && repair)
      await auditLog.note(
        {
          ...{ operator: sessionOf(c).address, reason, action: 'objects.repair', subject: 'objects' },
          after: { since },
        },
        await clock.now(),
      )
    const { differences, last } = await compareObjects(hubOf(c), after, since, repair)
    return json({ differences, next_cursor: nextCursor(c, list, last) })
  },
)
