import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Problem } from '../../protocol/encoding/index.ts'
import type { ApiError } from '../errors.ts'
import { validate } from './validate.ts'

function problemsOf(schema: z.ZodType, value: unknown): Problem[] {
  try {
    validate(schema, value)
    return []
  } catch (error) {
    return (error as ApiError).details!.problems as Problem[]
  }
}

const messageOf = (schema: z.ZodType, value: unknown): string | undefined =>
  problemsOf(z.strictObject({ field: schema }), { field: value })[0]?.message

describe('validate', () => {
  test.each<[string, z.ZodType, unknown]>([
    ['must be a string', z.string(), 1],
    ['must be an integer', z.int(), 1.5],
    ['must be a number', z.number(), '1'],
    ['must be true or false', z.boolean(), 'yes'],
    ['must be a list', z.array(z.int()), {}],
    ['must be an object', z.strictObject({}), []],
    ['must be an object', z.record(z.string(), z.int()), 'a'],
    ['must be one of "approve", "reject"', z.enum(['approve', 'reject']), 'maybe'],
    ['must be "eip191"', z.literal('eip191'), 'eip712'],
    ['must be one of 3600, 7200', z.literal([3600, 7200]), 1],
    ['must be at least 3', z.int().min(3), 2],
    ['must be greater than 0', z.int().positive(), 0],
    ['must be at most 200', z.int().max(200), 201],
    ['must be less than 1', z.number().lt(1), 1],
    ['must be at least 1 character long', z.string().min(1), ''],
    ['must be at most 2 characters long', z.string().max(2), 'abc'],
    ['must have at least 2 items', z.array(z.int()).min(2), [1]],
    ['must have at most 1 item', z.array(z.int()).max(1), [1, 2]],
    ['must be a multiple of 60', z.int().multipleOf(60), 61],
    ['must be a valid url', z.url(), 'x'],
    ['must match the pattern /^a+$/', z.string().regex(/^a+$/), 'b'],
    ['must be 1 to 3 of a', z.record(z.string().regex(/^a{1,3}$/, 'must be 1 to 3 of a'), z.int()), { b: 1 }],
    ['matches none of the allowed forms', z.union([z.string(), z.int()]), {}],
  ])('has the message: %s', (message, schema, value) => {
    expect(messageOf(schema, value)).toBe(message)
  })

  test('uses the message of the schema instead of the default message', () => {
    expect(messageOf(z.string().regex(/^a$/, 'must be the letter a'), 'b')).toBe('must be the letter a')
    expect(messageOf(z.url({ error: 'must be an https URL' }), 'x')).toBe('must be an https URL')
  })

  test('reports a missing member of any type as missing', () => {
    const schema = z.strictObject({
      name: z.string(),
      action: z.enum(['approve', 'reject']),
      v: z.literal(1),
      nested: z.array(z.strictObject({ id: z.int() })),
    })
    expect(problemsOf(schema, { nested: [{}], more: 1 })).toEqual([
      { path: 'name', code: 'missing', message: 'is required (string)' },
      { path: 'action', code: 'missing', message: 'is required (one of "approve", "reject")' },
      { path: 'v', code: 'missing', message: 'is required (1)' },
      { path: 'nested[0].id', code: 'missing', message: 'is required (number)' },
      { path: 'more', code: 'unknown_key', message: 'is not a known field; remove it' },
    ])
  })
})
