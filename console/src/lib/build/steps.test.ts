import { expect, test } from 'vitest'
import { type CauseCode, causes } from '../../../../protocol/causes.ts'
import { stepOf } from './steps.ts'

const ofProjects = (Object.keys(causes) as CauseCode[]).filter((code) =>
  ['project', 'set'].includes(causes[code].about),
)

test.each(ofProjects)('%s: the step is an action of a person on this page, not a call of the API', (code) => {
  const step = stepOf({ code, next_step: causes[code].nextStep }, '0x12')
  expect(step?.text).not.toMatch(/GET |POST |\{|npm run|nodectl/)
})
