import * as z from 'zod'
import { example } from '../../examples.ts'
import { Address, Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { defineRoute } from '../../route.ts'
import type { AuditEntry } from '../../stores/audit-log.ts'
import { ofOperators } from './schema.ts'

const AuditEntryView = z
  .strictObject({
    entry: z.int(),
    operator: Address,
    action: z.string(),
    subject: z.string(),
    reason: z.string().nullable(),
    before: z.record(z.string(), z.unknown()),
    after: z.record(z.string(), z.unknown()),
    created_at: Timestamp,
  })
  .meta({ id: 'AuditEntry' })

export const listAuditLog = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/audit-log',
    operationId: 'listAuditLog',
    summary: 'List the audit log of operators, newest first',
    description: 'Each entry has the operator, the decision, its time, and the values before and after it.',
    ...ofOperators,
    query: z.strictObject({
      ...pageQuery,
      subject: z.string().min(1).max(128).optional().describe('Only entries about this subject.'),
    }),
    responses: onePage('AuditEntryPage', AuditEntryView, {
      entry: 7,
      operator: example.operator,
      action: 'node.approve',
      subject: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
      reason: null,
      before: { status: 'pending' },
      after: { status: 'approved' },
      created_at: example.time,
    }),
  },
  (c, { query }) =>
    answerPage(c, {
      list: `audit-log subject=${query.subject ?? ''}`,
      query,
      by: ['entry'],
      fetch: (after, limit) => c.var.services.auditLog.list(query.subject, after?.entry, limit),
      view: ({ createdAt, ...row }: AuditEntry) => ({ ...row, created_at: createdAt }),
    }),
)
