import { expect, test } from 'vitest'
import { describeVectors } from '../vectors/suite.ts'
import { emptyPreferences, findPreferencesProblems } from './preferences.ts'

describeVectors('preferences')

test('findPreferencesProblems: the empty preferences of a new user can be saved', () => {
  expect(findPreferencesProblems(emptyPreferences)).toEqual([])
})
