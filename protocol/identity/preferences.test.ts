import { expect, test } from 'vitest'
import { describeVectors } from '../vectors/suite.ts'
import { emptyPreferences, findPreferencesProblems } from './preferences.ts'

describeVectors('preferences')

test('findPreferencesProblems: what is read before anything was saved may be saved', () => {
  expect(findPreferencesProblems(emptyPreferences)).toEqual([])
})
