import { expect, test } from 'vitest'
import { causes } from '../../../../protocol/causes.ts'
import { causeSteps } from '../texts/causes.ts'
import { stepOf } from './steps.ts'

test.each(Object.entries(causes))('a person can do the step of %s on a page', (code, { nextStep }) => {
  const step = stepOf(code, nextStep)
  expect(step?.text).toMatch(/\w/)
  expect(step?.text).not.toMatch(/\b(?:GET|POST|PUT|DELETE)\b|\/v1\/|0x…/)
  if (step?.href !== undefined || step?.act !== undefined) expect(step.word).toMatch(/\w/)
})

test('only existing causes have a step', () => {
  expect(Object.keys(causes)).toEqual(expect.arrayContaining(Object.keys(causeSteps)))
})

test('the step of an unknown cause from a newer hub leaves out the API call', () => {
  expect(stepOf('new', 'Wait: the hub tries again. GET /v1/status names what is late.')?.text).not.toContain(
    'GET',
  )
  expect(stepOf('new', 'Resume it: POST /v1/subscriptions/{subscription_id}/resume')).toEqual({
    text: 'Resume it.',
  })
  expect(stepOf('new', null)).toBeNull()
})
