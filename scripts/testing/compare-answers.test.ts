import { expect, test } from 'vitest'
import { type Document, declaredAnswers } from '../../workers/test/declared-answers.ts'
import { compareAnswers } from './compare-answers.ts'

const failure = (...codes: string[]) => ({
  content: { 'application/json': { examples: Object.fromEntries(codes.map((code) => [code, {}])) } },
})

const document: Document = {
  paths: {
    '/things/{id}': {
      get: { operationId: 'getThing', responses: { 200: {}, 304: {}, 404: failure('not_found') } },
      delete: {
        operationId: 'deleteThing',
        responses: { 204: {}, 401: { $ref: '#/components/responses/either' } },
      },
    },
  },
  components: { responses: { either: failure('unauthorized', 'session_expired') } },
}

test('a document declares each success status once, and each error status once per code', () => {
  expect(declaredAnswers(document)).toEqual([
    'getThing 200',
    'getThing 304',
    'getThing 404 not_found',
    'deleteThing 204',
    'deleteThing 401 unauthorized',
    'deleteThing 401 session_expired',
  ])
})

test('an answer that is declared but neither seen nor excused is reported', () => {
  const seen = new Set(['a 200', 'b 200'])
  expect(compareAnswers(['a 200', 'a 404 not_found', 'b 200', 'b 500 internal'], seen, {})).toEqual({
    unseen: ['a 404 not_found', 'b 500 internal'],
    needless: [],
  })
  expect(
    compareAnswers(['a 200', 'a 404 not_found'], seen, { 'a 404 not_found': 'It is always there.' }),
  ).toEqual({ unseen: [], needless: [] })
})

test('an excuse for a seen or an undeclared answer is reported', () => {
  const excused = { 'a 200': 'Never succeeds.', 'c 200': 'Gone.' }
  expect(compareAnswers(['a 200'], new Set(['a 200']), excused)).toEqual({
    unseen: [],
    needless: ['a 200', 'c 200'],
  })
})
